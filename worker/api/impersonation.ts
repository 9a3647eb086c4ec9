// Acting as another user, as the `Impersonate-` headers ask: each part of who that is must be granted (upstream: WithImpersonation).
import type { Authorizer } from "../../shared/k8s/access.ts";
import { dns1123Label, dns1123Subdomain } from "../../shared/k8s/names.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import { authorize, type ResourceQuestion } from "./authorization.ts";
import type { Identity } from "./service.ts";

const extraPrefix = "impersonate-extra-";
const anonymous = "system:anonymous";
const authenticated = "system:authenticated";
const unauthenticated = "system:unauthenticated";

/** Whom the request is to be served as; throws 403 for what its sender may not be. */
export function impersonated(authorizer: Authorizer, identity: Identity, headers: Headers): Identity {
  const user = headers.get("impersonate-user") ?? "";
  const groups = valuesOf(headers.get("impersonate-group"));
  const uid = headers.get("impersonate-uid") ?? "";
  const extra = extraOf(headers);
  if (user === "") {
    if (groups.length === 0 && uid === "" && extra.length === 0) return identity;
    throw ApiError.badRequest(`requested ${JSON.stringify({ groups, uid, extra })} without impersonating a user`);
  }
  const account = accountOf(user);
  const may = (part: Partial<ResourceQuestion>) => authorize(authorizer, identity, { ...nobody, ...part });
  if (account) may({ plural: "serviceaccounts", namespace: account.namespace, name: account.name });
  else may({ plural: "users", name: user });
  for (const name of groups) may({ plural: "groups", name });
  const group = "authentication.k8s.io";
  for (const [key, values] of extra) {
    for (const name of values) may({ group, plural: "userextras", subresource: key, name });
  }
  if (uid) may({ group, plural: "uids", name: uid });
  const own = account ? ["system:serviceaccounts", `system:serviceaccounts:${account.namespace}`] : [];
  return {
    user: {
      name: user,
      groups: withDefault(user, groups.length > 0 ? groups : own),
      ...(uid ? { uid } : {}),
      ...(extra.length > 0 ? { extra: Object.fromEntries(extra) } : {}),
    },
    readOnly: false,
  };
}

const nobody: ResourceQuestion = {
  isResource: true,
  verb: "impersonate",
  group: "",
  namespace: "",
  plural: "",
  name: "",
  subresource: "",
};

function withDefault(user: string, groups: readonly string[]): string[] {
  if (groups.includes(unauthenticated)) return [...groups];
  if (user === anonymous) return [...groups, unauthenticated];
  return groups.includes(authenticated) ? [...groups] : [...groups, authenticated];
}

function extraOf(headers: Headers): [string, string[]][] {
  return [...headers]
    .filter(([name]) => name.startsWith(extraPrefix))
    .map(([name, value]) => [decoded(name.slice(extraPrefix.length)), valuesOf(value)]);
}

function decoded(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

/** Several headers of one name arrive as one. */
function valuesOf(header: string | null): string[] {
  return header ? header.split(", ") : [];
}

function accountOf(user: string): { namespace: string; name: string } | undefined {
  const [system, kind, namespace = "", name = "", ...more] = user.split(":");
  if (system !== "system" || kind !== "serviceaccount" || more.length > 0) return undefined;
  return dns1123Label(namespace).length + dns1123Subdomain(name).length > 0 ? undefined : { namespace, name };
}
