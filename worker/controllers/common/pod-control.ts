// Creates and deletes pods for a workload, with their events (upstream: `RealPodControl`).
import type { Pod, PodTemplateSpec } from "../../../shared/k8s/api/core-v1.ts";
import type { Draft, KubeObject } from "../../../shared/k8s/meta.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import type { Kind } from "../../kinds/kind.ts";
import { pods } from "../../kinds/core/pod/pod.ts";
import type { ReconcileContext } from "../../runtime/controller.ts";
import { newControllerRef } from "./controller-ref.ts";
import { isNamespaceTerminating } from "./namespaces.ts";

/** The owner of the pods, which is also the object of the events. */
export interface Workload {
  readonly object: KubeObject;
  readonly kind: Kind;
}

/** A failure to create or delete a pod. `text` is the message for a condition. */
export interface Failed {
  readonly cause: ApiError;
  readonly text: string;
}

export function getPodFromTemplate({ object, kind }: Workload, { metadata, spec }: PodTemplateSpec): Draft<Pod> {
  const { namespace = "", name = "" } = object.metadata;
  return {
    metadata: {
      namespace,
      generateName: `${name}-`,
      labels: metadata.labels ?? {},
      annotations: metadata.annotations ?? {},
      finalizers: metadata.finalizers ?? [],
      ownerReferences: [newControllerRef(object, kind)],
    },
    spec,
  };
}

export function createPod(workload: Workload, draft: Draft<Pod>, context: ReconcileContext): Failed | undefined {
  const { client, event } = context;
  try {
    const pod = client.create(pods, draft);
    event(workload.object, "Normal", "SuccessfulCreate", `Created pod: ${pod.metadata.name ?? ""}`);
    return undefined;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    // In a terminating namespace, creation fails and is not needed.
    if (isNamespaceTerminating(error)) return undefined;
    event(workload.object, "Warning", "FailedCreate", `Error creating: ${error.message}`);
    return { cause: error, text: error.message };
  }
}

export function deletePod(workload: Workload, pod: Pod, { client, event }: ReconcileContext): Failed | undefined {
  const { namespace = "", name = "" } = pod.metadata;
  try {
    if (client.tryDelete(pods, namespace, name)) {
      event(workload.object, "Normal", "SuccessfulDelete", `Deleted pod: ${name}`);
    }
    return undefined;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    event(workload.object, "Warning", "FailedDelete", `Error deleting: ${error.message}`);
    return { cause: error, text: `unable to delete pods: ${error.message}` };
  }
}
