// Roles of PostgreSQL. Every role that can log in has all privileges, so GRANT and REVOKE are accepted and change nothing.
import type { Powers } from "../../databases/data.ts";
import type { Context, Meant } from "../../databases/dialect.ts";
import { bare } from "../../databases/quoting.ts";

/** Answers GRANT, REVOKE and ALTER DEFAULT PRIVILEGES, which fail only for an unknown role; undefined for other statements. */
export function grantAnswer({ sql, data }: Context): Meant | undefined {
  const words = sql.trim().replace(/\s+/g, " ");
  const [, isDefault, verb = "", rest = ""] =
    /^(alter default privileges .*?)?\b(grant|revoke) (.*)$/i.exec(words) ?? [];
  if (verb === "" || (isDefault === undefined && !/^(grant|revoke)\b/i.test(words))) return undefined;
  const plain = rest.replace(/ (with grant option|cascade|restrict)\b.*$/i, "");
  const right = plain.split(/^revoke$/i.test(verb) ? / from (?!.* from )/i : / to (?!.* to )/i)[1] ?? "";
  const roles = right.split(",").map((name) => bare(name.trim().replace(/^(group|role) /i, "")));
  const unknown = roles.find((role) => role.toUpperCase() !== "PUBLIC" && !data.users.has(role));
  if (unknown !== undefined)
    return { reply: { kind: "error", code: "42704", message: `role "${unknown}" does not exist` } };
  const tag = isDefault === undefined ? verb.toUpperCase() : "ALTER DEFAULT PRIVILEGES";
  return { reply: { kind: "done", tag, changes: 0 } };
}

/** Returns the attributes of a role from the options of its statement. */
export function powersOf(options: string): Powers {
  const flag = (yes: RegExp, no: RegExp) => (no.test(options) ? false : yes.test(options) ? true : undefined);
  const [logIn, createDatabases, createRoles] = [
    flag(/\blogin\b/i, /\bnologin\b/i),
    flag(/\bcreatedb\b/i, /\bnocreatedb\b/i),
    flag(/\bcreaterole\b/i, /\bnocreaterole\b/i),
  ];
  return {
    ...(logIn === undefined ? {} : { logIn }),
    ...(createDatabases === undefined ? {} : { createDatabases }),
    ...(createRoles === undefined ? {} : { createRoles }),
  };
}
