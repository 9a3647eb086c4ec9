// Authorization and admission of connections into the cluster, which need more permissions than a GET of the pod.
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import type { Kind } from "../../kinds/kind.ts";
import { admissionRequest, admit } from "../../registry/admission-chain.ts";
import { contextOf } from "../../registry/registry.ts";
import { groupVersionKind } from "../../registry/group-version-kind.ts";
import { turn } from "../asking.ts";
import { requesterOf } from "../filters/authorization.ts";
import type { ResourceInfo } from "../request-info.ts";
import { actorOf, type ApiRequest, writingOf } from "../api-request.ts";

/** Runs admission. `options` is the object that upstream passes to admission. Returns the object after mutation. */
export async function admitConnection<T extends KubeObject>(
  req: ApiRequest,
  kind: Kind,
  info: ResourceInfo,
  options: T,
): Promise<T> {
  if (req.url.searchParams.getAll("dryRun").some(Boolean)) throw ApiError.badRequest("dryRun is not supported");
  const { namespace, name, subresource } = info;
  return await turn(req, (req) => {
    const { registry } = req.server;
    const object = structuredClone(options);
    const objectKind = groupVersionKind(`io.k8s.api.core.v1.${options.kind ?? ""}`);
    const attributes = {
      operation: "CONNECT",
      kind,
      objectKind,
      subresource,
      namespace,
      name,
      object,
      oldObject: undefined,
    } as const;
    const actor = actorOf(req, "connect");
    const request = admissionRequest(attributes, actor, writingOf(req, {}), contextOf(registry, actor));
    admit(registry, "mutate", request);
    admit(registry, "validate", request);
    return object;
  });
}

/** Requires the verb `create` for a GET that is upgraded to a socket. */
export function requireCreate({ server, identity }: ApiRequest, kind: Kind, info: ResourceInfo): void {
  if (info.verb === "create") return;
  const { group, plural, subresource, namespace, name } = info;
  const { allowed, reason } = server.registry.authorizer.decide(requesterOf(identity), {
    isResource: true,
    verb: "create",
    group,
    plural,
    subresource,
    namespace,
    name,
    path: "",
    fields: [],
  });
  if (!allowed) throw ApiError.forbidden(kind.groupResource, name, reason ?? "");
}
