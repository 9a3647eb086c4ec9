// A user as the authentication group writes one.
import type { UserInfo } from "../../../shared/k8s/api/authentication-v1.ts";
import type { Requester } from "../../kinds/kind.ts";

export function userInfo({ name, uid, groups, extra }: Requester): UserInfo {
  const keys = Object.keys(extra ?? {}).sort();
  return {
    username: name,
    ...(uid ? { uid } : {}),
    groups: [...groups],
    ...(keys.length > 0 ? { extra: Object.fromEntries(keys.map((key) => [key, [...(extra?.[key] ?? [])]])) } : {}),
  };
}
