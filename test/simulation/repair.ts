// Repairs by users at the end of a simulation, so that the cluster can become idle.
import type { Pod, PodSpec } from "../../shared/k8s/api/core-v1.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { cronJobs } from "../../worker/kinds/batch/cron-job.ts";
import { daemonSets } from "../../worker/kinds/apps/daemon-set.ts";
import { deployments } from "../../worker/kinds/apps/deployment.ts";
import type { Kind } from "../../worker/kinds/kind.ts";
import { nodes } from "../../worker/kinds/core/node/node.ts";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import { replicaSets } from "../../worker/kinds/apps/replica-set.ts";
import { replicationControllers } from "../../worker/kinds/core/replication-controller.ts";
import { resourceQuotas } from "../../worker/kinds/core/resource-quota/resource-quota.ts";
import { statefulSets } from "../../worker/kinds/apps/stateful-set.ts";
import type { Client } from "../../worker/registry/client.ts";
import { edit } from "./users/wish.ts";
import { goodImage, isBroken } from "./users/workloads.ts";

interface WithTemplate extends KubeObject {
  spec: {
    template: { spec: PodSpec };
    paused?: boolean;
    updateStrategy?: { rollingUpdate?: { partition?: number } };
  };
}

export function repair(client: Client): void {
  release(client);
  for (const { metadata } of client.list(nodes))
    edit(client, nodes, ...where(metadata), ({ spec }) => {
      delete spec.unschedulable;
    });
  for (const { metadata } of client.list(resourceQuotas)) {
    edit(client, resourceQuotas, ...where(metadata), ({ spec }) => {
      for (const name of Object.keys(spec.hard ?? {})) spec.hard = { ...spec.hard, [name]: "1000G" };
    });
  }
  for (const { metadata } of client.list(cronJobs)) client.delete(cronJobs, ...where(metadata));
  // Their specs are alike in what is repaired.
  for (const kind of [deployments, statefulSets, daemonSets, replicationControllers] as unknown as Kind<WithTemplate>[])
    for (const { metadata } of client.list(kind)) if (isTheirs(metadata)) edit(client, kind, ...where(metadata), mend);
  // No Deployment has such a template any more; where its new pods find no node it keeps the old ones for ever.
  for (const { metadata, spec } of client.list(replicaSets))
    if (isBroken(spec.template.spec)) client.delete(replicaSets, ...where(metadata));
  for (const pod of client.list(pods)) if (isInTheWay(pod)) client.delete(pods, ...where(pod.metadata));
}

/** Reports whether the object belongs to users. The cluster's own objects need no repair. */
function isTheirs({ namespace }: KubeObject["metadata"]): boolean {
  return namespace !== "kube-system";
}

/** Upstream's sets, too, wait for ever for a pod of a template that was broken, or for the name of one that was released. */
function isInTheWay({ metadata, spec }: Pod): boolean {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller)?.kind;
  const isReleased = owner === undefined && metadata.labels?.["statefulset.kubernetes.io/pod-name"] !== undefined;
  return isReleased || (isBroken(spec) && owner !== "ReplicaSet");
}

function where({ namespace = "", name = "" }: KubeObject["metadata"]): [string, string] {
  return [namespace, name];
}

function release(client: Client): void {
  for (const kind of client.kinds()) {
    for (const { metadata } of client.list(kind)) {
      if (!metadata.finalizers?.some((finalizer) => finalizer.startsWith("test."))) continue;
      edit(client, kind, ...where(metadata), (draft) => {
        draft.metadata.finalizers =
          draft.metadata.finalizers?.filter((finalizer) => !finalizer.startsWith("test.")) ?? [];
      });
    }
  }
}

function mend({ spec }: WithTemplate): void {
  delete spec.paused;
  // Below it, pods are made of the old template for ever.
  if (spec.updateStrategy?.rollingUpdate?.partition) spec.updateStrategy.rollingUpdate.partition = 0;
  for (const container of spec.template.spec.containers) container.image = goodImage;
}
