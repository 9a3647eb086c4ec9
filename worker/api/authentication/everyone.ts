// Adds the groups of all authenticated users (upstream: AuthenticatedGroupAdder).
import type { UserInfo } from "../../../shared/k8s/authorizer.ts";

const authenticated = "system:authenticated";
const unauthenticated = "system:unauthenticated";

/** The user of requests without credentials. */
export const anonymous: UserInfo = { name: "system:anonymous", groups: [unauthenticated] };

export function withEveryone(user: UserInfo): UserInfo {
  const { name, groups } = user;
  const has = name === anonymous.name || groups.includes(authenticated) || groups.includes(unauthenticated);
  return has ? user : { ...user, groups: [...groups, authenticated] };
}
