// pods/{name}/portforward: checked as upstream checks it, and then refused, for it is SPDY whatever carries it.
import { ApiError } from "../../../shared/k8s/status.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { ResourceInfo } from "../request-info.ts";
import type { Call } from "../service.ts";
import { admitConnection, requireCreate } from "./admission.ts";
import { podOf } from "./pod-of.ts";
import { optionsObject } from "./stream-options.ts";

export async function portForward(call: Call, kind: Kind, info: ResourceInfo): Promise<Response> {
  const ports = call.url.searchParams.getAll("ports").map(Number);
  await admitConnection(call, kind, info, optionsObject("PodPortForwardOptions", { ports }));
  requireCreate(call, kind, info);
  const pod = podOf(call.service.registry, kind, info);
  if (!pod.spec.nodeName) throw ApiError.badRequest(`pod ${info.name} does not have a host assigned`);
  const proxy = `kubectl get --raw /api/v1/namespaces/${info.namespace}/pods/${info.name}/proxy/`;
  throw new ApiError(501, "NotImplemented", `this cluster does not forward ports; ask a server in a pod with ${proxy}`);
}
