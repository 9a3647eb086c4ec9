// Impersonates users by the `Impersonate-` headers, with the first mode that the sender may use (upstream: WithConstrainedImpersonation).
import type { Registry } from "../../registry/registry.ts";
import { must } from "../../../shared/base/assert.ts";
import { hasNameWith } from "../../../shared/base/header-names.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import { type RequestAttributes, modes, type WantedUser } from "./impersonation-modes.ts";
import type { Identity } from "../api-server.ts";
import { aboutSelected } from "./authorization.ts";
import { type Filter, infoOf } from "./filter.ts";

const prefix = "impersonate-";
const extraPrefix = "impersonate-extra-";

export const withImpersonation: Filter = (next) => (context) => {
  const { server, request, sender, fields = [] } = context;
  const attributes = { info: aboutSelected(infoOf(context), fields), fields };
  context.identity = impersonated(server.registry, must(sender, "the sender"), request.headers, attributes);
  return next(context);
};

/** Returns the user to serve the request as. Throws 403 if the sender may not impersonate, or may not perform the request as that user. */
function impersonated(
  { authorizer, features }: Pick<Registry, "authorizer" | "features">,
  identity: Identity,
  headers: Headers,
  requestAttributes: RequestAttributes,
): Identity {
  const target = wantedUser(headers);
  if (!target) return identity;
  let refusal: ApiError | undefined;
  for (const mode of modes) {
    if ((mode.gate && !features[mode.gate]) || !mode.applies(target, identity.user)) continue;
    try {
      return { user: mode.become(authorizer, identity, target, requestAttributes), readOnly: false };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      refusal ??= error;
    }
  }
  throw must(refusal, "a mode that always applies");
}

function wantedUser(headers: Headers): WantedUser | undefined {
  // Nearly all requests have no such header.
  if (!hasNameWith(prefix, headers)) return undefined;
  const target: WantedUser = {
    name: headers.get("impersonate-user") ?? "",
    uid: headers.get("impersonate-uid") ?? "",
    groups: valuesOf(headers.get("impersonate-group")),
    extra: [...headers]
      .filter(([name]) => name.startsWith(extraPrefix))
      .map(([name, value]) => [decoded(name.slice(extraPrefix.length)), valuesOf(value)] as const),
  };
  if (target.name !== "") return target;
  if (target.uid === "" && target.groups.length === 0 && target.extra.length === 0) return undefined;
  throw ApiError.badRequest(`requested ${printed(target)} without impersonating a user name`);
}

function decoded(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

/** Splits repeated headers, which arrive joined and without the last space. */
function valuesOf(header: string | null): string[] {
  return header === null ? [] : header.replace(/,$/, ", ").split(", ");
}

/** Prints the struct as Go does. */
function printed({ uid, groups, extra }: WantedUser): string {
  const text = JSON.stringify;
  const list = (values: readonly string[]) => `[]string{${values.map((value) => text(value)).join(", ")}}`;
  const map = extra.map(([key, values]) => `${text(key)}:${list(values)}`).join(", ");
  return (
    `&user.DefaultInfo{Name:"", UID:${text(uid)}, Groups:${groups.length > 0 ? list(groups) : "[]string(nil)"}, ` +
    `Extra:map[string][]string${extra.length > 0 ? `{${map}}` : "(nil)"}}`
  );
}
