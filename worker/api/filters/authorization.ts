// Rejects requests that the user is not authorized for, with upstream's message.
import { must } from "../../../shared/base/assert.ts";
import { parseFieldSelector } from "../../../shared/k8s/selectors/fields.ts";
import { pathSegmentName } from "../../../shared/k8s/names.ts";
import { ApiError, qualified } from "../../../shared/k8s/status.ts";
import { type Attributes, type Authorizer, viewersGroup } from "../../../shared/k8s/authorizer.ts";
import { tunnelTarget } from "../connect/tunnel.ts";
import { asGet, ownRead } from "../own-reads.ts";
import type { PathInfo, RequestInfo, ResourceAttributes } from "../request-info.ts";
import { type Filter, type FilterContext, infoOf } from "./filter.ts";
import { withoutContentTypeOptions } from "./response-headers.ts";
import type { Identity } from "../api-server.ts";

export const withAuthorization: Filter = (next) => (context) => {
  const { server, identity, fields } = context;
  authorize(server.registry.authorizer, must(identity, "the identity"), requestOf(context), fields);
  withoutContentTypeOptions(context);
  return next(context);
};

/** Returns the attributes to authorize. A tunnel needs `update` of its Service; an additional read needs `get` of the object. */
function requestOf(context: FilterContext): PathInfo | ResourceAttributes {
  const info = infoOf(context);
  const tunnel = tunnelTarget(info, context.url.searchParams);
  if (tunnel) return tunnel;
  return ownRead(context.server, info) ? asGet(info) : aboutSelected(info, context.fields ?? []);
}

/** Authorizes API requests only. Controllers write through a client without RBAC (worker/registry/local-client.ts). */
export function authorize(
  authorizer: Authorizer,
  identity: Identity,
  info: PathInfo | ResourceAttributes,
  fields: Attributes["fields"] = [],
): void {
  const { allowed, reason } = authorizer.decide(requesterOf(identity), attributesOf(info, fields));
  if (allowed) return;
  throw forbidden(identity, info, reason);
}

/** Returns the error with upstream's message. */
export function forbidden(identity: Identity, info: PathInfo | ResourceAttributes, reason: string): ApiError {
  const why = reason ? `: ${reason}` : "";
  if (!info.isResource) {
    const what = sanitized(`User ${quoted(identity)} cannot ${info.verb} path "${info.path}"`);
    return new ApiError(403, "Forbidden", `forbidden: ${what}${why}`, {});
  }
  const { group, plural, subresource, name } = info;
  const resource = JSON.stringify(subresource ? `${plural}/${subresource}` : plural);
  const what = sanitized(
    `User ${quoted(identity)} cannot ${info.verb} resource ${resource} in API group "${group}"${scope(info)}`,
  );
  const of = `${qualified({ group, name: plural })}${name ? ` ${JSON.stringify(name)}` : ""}`;
  const details = { ...(name ? { name } : {}), ...(group ? { group } : {}), kind: plural };
  return new ApiError(403, "Forbidden", `${of} is forbidden: ${what}${why}`, details);
}

/** Escapes characters that a browser could interpret as a tag, as upstream does. */
function sanitized(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** Returns the user for authorization. The user of a view token gets the viewer group. */
export function requesterOf({ user, readOnly }: Identity): Identity["user"] {
  if (!readOnly || user.groups.includes(viewersGroup)) return user;
  return { ...user, groups: [...user.groups, viewersGroup] };
}

function attributesOf(info: PathInfo | ResourceAttributes, fields: NonNullable<Attributes["fields"]>): Attributes {
  if (!info.isResource) return { ...info, group: "", plural: "", subresource: "", namespace: "", name: "" };
  return { ...info, path: "", fields };
}

/** Treats a list or watch with a metadata.name selector as a request for that object. */
export function aboutSelected(info: RequestInfo, fields: NonNullable<Attributes["fields"]>): RequestInfo {
  if (!info.isResource || info.name !== "" || (info.verb !== "list" && info.verb !== "watch")) return info;
  const name = fields.find(([field]) => field === "metadata.name")?.[1] ?? "";
  return pathSegmentName(name).length > 0 ? info : { ...info, name };
}

function scope(info: ResourceAttributes): string {
  return info.namespace ? ` in the namespace ${JSON.stringify(info.namespace)}` : " at the cluster scope";
}

function quoted(identity: Identity): string {
  return JSON.stringify(identity.user.name);
}

/** Returns the requirements of a field selector. The verb reports an invalid one. */
export function fieldsOf(query: URLSearchParams, verb: string): NonNullable<Attributes["fields"]> {
  const selector = query.get("fieldSelector");
  if (!selector || !selectingVerbs.has(verb)) return [];
  try {
    return parseFieldSelector(selector).terms.flatMap(({ field, operator, value }) =>
      operator === "=" ? [[field, value] as const] : [],
    );
  } catch (error) {
    if (error instanceof ApiError) return [];
    throw error;
  }
}

const selectingVerbs = new Set(["list", "watch", "deletecollection"]);
