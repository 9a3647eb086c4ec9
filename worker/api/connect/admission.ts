// Admission of what leads into the cluster: whoever may get a pod needs more to connect to it, and webhooks and policies are asked.
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import type { Kind } from "../../kinds/kind.ts";
import { admit, contextOf } from "../../registry/registry.ts";
import { turn } from "../asking.ts";
import { requesterOf } from "../authorization.ts";
import type { ResourceInfo } from "../request-info.ts";
import { actorOf, type Call } from "../service.ts";

/** `options` is what upstream shows to admission in the place of an object. */
export async function admitConnection(call: Call, kind: Kind, info: ResourceInfo, options: KubeObject): Promise<void> {
  if (call.url.searchParams.getAll("dryRun").some(Boolean)) throw ApiError.badRequest("dryRun is not supported");
  const { namespace, name, subresource } = info;
  await turn(call, ({ service: { registry }, identity, warnings }) => {
    const request = {
      operation: "CONNECT" as const,
      kind,
      subresource,
      namespace,
      name,
      object: options,
      previous: undefined,
      user: identity.user,
      dryRun: false,
      context: contextOf(registry, actorOf(call, "connect")),
      warn: (message: string) => void warnings.push(message),
    };
    admit(registry, "mutate", request);
    admit(registry, "validate", request);
  });
}

/** A GET that becomes a socket needs the verb `create` as well. */
export function requireCreate({ service, identity }: Call, kind: Kind, info: ResourceInfo): void {
  if (info.verb === "create") return;
  const { group, plural, subresource, namespace, name } = info;
  const { allowed, reason } = service.registry.authorizer.decide(requesterOf(identity), {
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
