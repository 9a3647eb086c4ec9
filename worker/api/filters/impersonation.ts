// Acting as another user, as the `Impersonate-` headers ask: the first of the modes that lets the sender counts (upstream:
// WithConstrainedImpersonation).
import type { Authorizer } from "../../../shared/k8s/authorizer.ts";
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
  const { authorizer } = server.registry;
  context.identity = impersonated(authorizer, must(sender, "the sender"), request.headers, attributes);
  return next(context);
};

/** Whom the request is to be served as; throws 403 for what its sender may not be, or may not do as such. */
function impersonated(
  authorizer: Authorizer,
  identity: Identity,
  headers: Headers,
  asked: RequestAttributes,
): Identity {
  const wanted = wantedUser(headers);
  if (!wanted) return identity;
  let refusal: ApiError | undefined;
  for (const mode of modes) {
    if (!mode.applies(wanted, identity.user)) continue;
    try {
      return { user: mode.become(authorizer, identity, wanted, asked), readOnly: false };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      refusal ??= error;
    }
  }
  throw must(refusal, "a mode that always applies");
}

function wantedUser(headers: Headers): WantedUser | undefined {
  // Of nearly all requests no header says anything of it.
  if (!hasNameWith(prefix, headers)) return undefined;
  const wanted: WantedUser = {
    name: headers.get("impersonate-user") ?? "",
    uid: headers.get("impersonate-uid") ?? "",
    groups: valuesOf(headers.get("impersonate-group")),
    extra: [...headers]
      .filter(([name]) => name.startsWith(extraPrefix))
      .map(([name, value]) => [decoded(name.slice(extraPrefix.length)), valuesOf(value)] as const),
  };
  if (wanted.name !== "") return wanted;
  if (wanted.uid === "" && wanted.groups.length === 0 && wanted.extra.length === 0) return undefined;
  throw ApiError.badRequest(`requested ${printed(wanted)} without impersonating a user name`);
}

function decoded(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

/** Several headers of one name arrive as one, without the space after the last. */
function valuesOf(header: string | null): string[] {
  return header === null ? [] : header.replace(/,$/, ", ").split(", ");
}

/** As Go prints the struct. */
function printed({ uid, groups, extra }: WantedUser): string {
  const text = JSON.stringify;
  const list = (values: readonly string[]) => `[]string{${values.map((one) => text(one)).join(", ")}}`;
  const map = extra.map(([key, values]) => `${text(key)}:${list(values)}`).join(", ");
  return (
    `&user.DefaultInfo{Name:"", UID:${text(uid)}, Groups:${groups.length > 0 ? list(groups) : "[]string(nil)"}, ` +
    `Extra:map[string][]string${extra.length > 0 ? `{${map}}` : "(nil)"}}`
  );
}
