// Privileges of MySQL. Every user that can log in has all privileges, so GRANT and REVOKE are accepted and change nothing.
import type { Context, Meant } from "../../databases/dialect.ts";
import { bare } from "../../databases/quoting.ts";

/** Answers GRANT and REVOKE, which fail only for an unknown user; undefined for other statements. */
export function grantAnswer({ sql, data }: Context): Meant | undefined {
  const words = sql.trim().replace(/\s+/g, " ");
  const [, to = ""] = /^(?:grant|revoke) .*? on (?:table )?[^ ]+ (?:to|from) (.*)$/i.exec(words) ?? [];
  if (to === "") return undefined;
  const users = to.replace(/ (with grant option|identified by).*$/i, "").split(",");
  const isUnknown = users.some((user) => !data.users.has(bare((user.trim().split("@")[0] ?? "").trim())));
  const message = "You are not allowed to create a user with GRANT";
  if (isUnknown) return { reply: { kind: "error", code: "1410 (42000)", message } };
  return { reply: { kind: "done", tag: "", changes: 0 } };
}
