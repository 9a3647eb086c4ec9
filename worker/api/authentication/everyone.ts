// What every user that is known belongs to (upstream: AuthenticatedGroupAdder).
import type { UserInfo } from "../../../shared/k8s/authorizer.ts";

const authenticated = "system:authenticated";
const unauthenticated = "system:unauthenticated";

/** Who sent no credentials. */
export const anonymous: UserInfo = { name: "system:anonymous", groups: [unauthenticated] };

export function withEveryone(user: UserInfo): UserInfo {
  const { name, groups } = user;
  const has = name === anonymous.name || groups.includes(authenticated) || groups.includes(unauthenticated);
  return has ? user : { ...user, groups: [...groups, authenticated] };
}
