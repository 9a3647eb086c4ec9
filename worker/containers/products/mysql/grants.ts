// Who may do what in MySQL: privileges on everything, on a database or on a table of it.
import type { Data, Grant } from "../../databases/data.ts";
import type { Context, Failure, Meant } from "../../databases/dialect.ts";
import { type Use, usesOf } from "../../databases/uses.ts";
import { bare } from "../../databases/words.ts";

export const all = "*.*";

/** Whether somebody may do anything in a database. */
export function mayUse(data: Data, user: string, database: string): boolean {
  if (data.users.get(user)?.isAdmin) return true;
  return [...data.granted(user).keys()].some((on) => on === all || on.startsWith(`${database}.`));
}

export function mysqlDenial(context: Context): Failure | undefined {
  const { data, user, sql, database, from } = context;
  if (data.users.get(user)?.isAdmin) return undefined;
  const words = sql.trim().replace(/\s+/g, " ");
  const [, verb = "", named] =
    /^(create|drop) (?:database|schema) (?:if (?:not )?exists )?([`"\w-]+)/i.exec(words) ?? [];
  if (named !== undefined && !isGranted(context, verb.toUpperCase(), bare(named), "*"))
    return error("1044 (42000)", `Access denied for user '${user}'@'%' to database '${bare(named)}'`);
  const isOfUsers = /^(create|drop|alter) user\b/i.test(words) && !isGranted(context, "CREATE USER", "*", "*");
  if (isOfUsers) return missing("CREATE USER");
  const [, object = ""] = /^(?:grant|revoke) .*? on ([^ ]+)/i.exec(words) ?? [];
  if (object !== "" && !isGranted(context, "GRANT OPTION", bare(object.split(".")[0] ?? ""), "*"))
    return error(
      "1044 (42000)",
      `Access denied for user '${user}'@'%' to database '${bare(object.split(".")[0] ?? "")}'`,
    );
  const [, used] = /^use ([`"\w-]+)/i.exec(words) ?? [];
  if (used !== undefined && data.databases.has(bare(used)) && !mayUse(data, user, bare(used)))
    return error("1044 (42000)", `Access denied for user '${user}'@'%' to database '${bare(used)}'`);
  for (const { privilege, table, schema = database } of usesOf(sql)) {
    const wanted = needed(privilege);
    if (!data.databases.has(schema) || isGranted(context, wanted, schema, table)) continue;
    const place = `'${user}'@'${from === "127.0.0.1" ? "localhost" : from}'`;
    return error("1142 (42000)", `${wanted} command denied to user ${place} for table '${table}'`);
  }
  return undefined;
}

function needed(privilege: Use["privilege"]): string {
  return privilege === "TRUNCATE" ? "DROP" : privilege;
}

function isGranted({ data, user }: Context, privilege: string, database: string, table: string): boolean {
  const own = data.granted(user);
  return [all, `${database}.*`, `${database}.${table}`].some((on) => {
    const found = own.get(on);
    return found?.has(privilege) || (privilege !== "GRANT OPTION" && found?.has("ALL"));
  });
}

function error(code: string, message: string): Failure {
  return { kind: "error", code, message };
}

function missing(privilege: string): Failure {
  return error(
    "1227 (42000)",
    `Access denied; you need (at least one of) the ${privilege} privilege(s) for this operation`,
  );
}

/** What GRANT and REVOKE lead to; undefined for other statements. */
export function mysqlGrant({ sql, data, database }: Context): Meant | undefined {
  const words = sql.trim().replace(/\s+/g, " ");
  const [, verb = "", what = "", object = "", to = ""] =
    /^(grant|revoke) (.*?) on (?:table )?([^ ]+) (?:to|from) (.*)$/i.exec(words) ?? [];
  if (verb === "") return undefined;
  const isTaken = verb.toLowerCase() === "revoke";
  const options = /with grant option/i.test(to) ? ["GRANT OPTION"] : [];
  const privileges = what
    .split(",")
    .map((one) =>
      one
        .trim()
        .toUpperCase()
        .replace(/^ALL PRIVILEGES$/, "ALL"),
    )
    .concat(options);
  const [first = "", second] = object.split(".").map(bare);
  const on = second === undefined ? `${database}.${first}` : `${first}.${second}`;
  const lines: Grant[] = [];
  const named = to.replace(/ (with grant option|identified by).*$/i, "");
  for (const one of named.split(",")) {
    const user = bare((one.trim().split("@")[0] ?? "").trim());
    if (!data.users.has(user))
      return { reply: error("1410 (42000)", "You are not allowed to create a user with GRANT") };
    lines.push({ grant: user, on, privileges, ...(isTaken ? { isTaken } : {}) });
  }
  return { reply: { kind: "done", tag: "", changes: 0 }, lines };
}

/** Rows of SHOW GRANTS. */
export function grantsOf(data: Data, user: string): string[] {
  const who = `${"`"}${user}${"`"}@${"`"}%${"`"}`;
  if (data.users.get(user)?.isAdmin) return [`GRANT ALL PRIVILEGES ON *.* TO ${who} WITH GRANT OPTION`];
  const rows = [...data.granted(user)].map(([on, found]) => {
    const [database = "", table = ""] = on.split(".");
    const named = on === all ? all : `${"`"}${database}${"`"}.${table === "*" ? "*" : `${"`"}${table}${"`"}`}`;
    const names = [...found]
      .filter((one) => one !== "GRANT OPTION")
      .map((one) => (one === "ALL" ? "ALL PRIVILEGES" : one));
    return `GRANT ${names.join(", ")} ON ${named} TO ${who}${found.has("GRANT OPTION") ? " WITH GRANT OPTION" : ""}`;
  });
  return [`GRANT USAGE ON *.* TO ${who}`, ...rows];
}
