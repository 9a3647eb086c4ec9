// Who may do what. Until there are roles: administrators everything, view tokens reading all but Secrets, others nothing.
import { ApiError, qualified } from "../../shared/k8s/status.ts";
import type { RequestInfo, ResourceInfo } from "./request-info.ts";
import type { Identity } from "./service.ts";

const adminGroup = "system:masters";
const readingVerbs = new Set(["get", "list", "watch"]);

export function authorize(identity: Identity, info: RequestInfo): void {
  if (identity.readOnly ? mayView(info) : identity.user.groups.includes(adminGroup)) return;
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

function mayView(info: RequestInfo): boolean {
  if (!info.isResource) return info.verb === "get" || info.verb === "head";
  return readingVerbs.has(info.verb) && info.plural !== "secrets";
}

function scope(info: ResourceInfo): string {
  return info.namespace ? ` in the namespace ${JSON.stringify(info.namespace)}` : " at the cluster scope";
}

function quoted(identity: Identity): string {
  return JSON.stringify(identity.user.name);
}
