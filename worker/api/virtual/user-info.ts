// Converts a user to the form of the authentication group.
import type { UserInfo } from "../../../shared/k8s/authorizer.ts";
import type { UserInfo as ApiUserInfo } from "../../../shared/k8s/api/authentication-v1.ts";

export function userInfo({ name, uid, groups, extra }: UserInfo): ApiUserInfo {
  const keys = Object.keys(extra ?? {}).sort();
  return {
    username: name,
    ...(uid ? { uid } : {}),
    groups: [...groups],
    ...(keys.length > 0 ? { extra: Object.fromEntries(keys.map((key) => [key, [...(extra?.[key] ?? [])]])) } : {}),
  };
}
