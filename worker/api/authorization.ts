// Refuses a request that its user may not make, with upstream's words.
import { ApiError, qualified } from "../../shared/k8s/status.ts";
import { type Access, decide, viewersGroup } from "./access.ts";
import type { PathInfo, ResourceInfo } from "./request-info.ts";
import type { Identity } from "./service.ts";

/** What is asked of a resource; verbs of RBAC's own (`impersonate`) have no method. */
export type ResourceQuestion = Pick<
  ResourceInfo,
  "isResource" | "group" | "plural" | "subresource" | "namespace" | "name"
> & { readonly verb: string };

export function authorize(identity: Identity, info: PathInfo | ResourceQuestion): void {
  if (decide(requesterOf(identity), accessOf(info)).allowed) return;
  if (!info.isResource) {
    throw new ApiError(
      403,
      "Forbidden",
      `forbidden: User ${quoted(identity)} cannot ${info.verb} path "${info.path}"`,
      {},
    );
  }
  const subresource = info.subresource ? `/${info.subresource}` : "";
  const resource = { group: info.group, name: `${info.plural}${subresource}` };
  throw new ApiError(
    403,
    "Forbidden",
    `${qualified({ group: info.group, name: info.plural })}${info.name ? ` ${JSON.stringify(info.name)}` : ""} is forbidden: ` +
      `User ${quoted(identity)} cannot ${info.verb} resource ${JSON.stringify(resource.name)} in API group "${info.group}"${scope(info)}`,
    { ...(info.name ? { name: info.name } : {}), ...(info.group ? { group: info.group } : {}), kind: info.plural },
  );
}

/** The user in the groups that count: a view token's is a viewer. */
export function requesterOf({ user, readOnly }: Identity): Identity["user"] {
  if (!readOnly || user.groups.includes(viewersGroup)) return user;
  return { ...user, groups: [...user.groups, viewersGroup] };
}

function accessOf(info: PathInfo | ResourceQuestion): Access {
  if (info.isResource) return { ...info, path: "" };
  return { ...info, group: "", plural: "", subresource: "" };
}

function scope(info: ResourceQuestion): string {
  return info.namespace ? ` in the namespace ${JSON.stringify(info.namespace)}` : " at the cluster scope";
}

function quoted(identity: Identity): string {
  return JSON.stringify(identity.user.name);
}
