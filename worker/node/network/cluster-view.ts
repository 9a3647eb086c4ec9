// What the containers of a cluster can see of it, read from its objects when it is asked for.
import { parseTime } from "../../../shared/k8s/time.ts";
import type { Service } from "../../../shared/k8s/api/core-v1.ts";
import { configMaps } from "../../kinds/config-maps.ts";
import { endpoints } from "../../kinds/endpoints.ts";
import { pods } from "../../kinds/pods.ts";
import { secrets } from "../../kinds/secrets.ts";
import { services } from "../../kinds/services.ts";
import type { ReconcileContext } from "../../runtime/controller.ts";
import type { PersonalEdits } from "../options.ts";
import type { ClusterView } from "../run/world.ts";
import type { ServiceView } from "../shell/process.ts";

type Client = ReconcileContext["client"];

export function clusterView(client: Client, edits?: PersonalEdits): ClusterView {
  return {
    data: (kind, namespace, name) => {
      if (kind === "configmap") return client.get(configMaps, namespace, name)?.data ?? undefined;
      const data = client.get(secrets, namespace, name)?.data;
      return data && Object.fromEntries(Object.entries(data).map(([key, value]) => [key, decoded(value)]));
    },
    service: (namespace, name) => {
      const service = client.get(services, namespace, name);
      return service && serviceView(client, service);
    },
    edits: (pod, container) => edits?.of(pod, container) ?? [],
    typed: (pod, container) => edits?.typed(pod, container),
  };
}

function decoded(base64: string): string {
  return new TextDecoder().decode(Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0)));
}

function serviceView(client: Client, { metadata, spec }: Service): ServiceView {
  const { namespace = "", name = "", creationTimestamp } = metadata;
  const sinceMs = creationTimestamp ? parseTime(creationTimestamp) : 0;
  const headless = spec.clusterIP === "None" || !spec.clusterIP;
  const targets = (client.get(endpoints, namespace, name)?.subsets ?? []).flatMap((one) => one.addresses ?? []);
  const outside = spec.type === "ExternalName" || !spec.selector;
  const readyMs = targets.map(({ targetRef }) => readyAt(client, targetRef?.namespace ?? namespace, targetRef?.name));
  return {
    sinceMs,
    address: headless ? (targets[0]?.ip ?? "10.244.0.1") : (spec.clusterIP ?? ""),
    answersMs: outside ? sinceMs : readyMs.length > 0 ? Math.max(sinceMs, Math.min(...readyMs)) : undefined,
    ports: (spec.ports ?? []).map((one) => one.port),
  };
}

/** Since when a pod behind a Service answers. */
function readyAt(client: Client, namespace: string, name: string | undefined): number {
  const pod = name === undefined ? undefined : client.get(pods, namespace, name);
  const time = pod?.status.conditions?.find((one) => one.type === "Ready")?.lastTransitionTime;
  return time ? parseTime(time) : 0;
}
