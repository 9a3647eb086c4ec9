// Who may do what in PostgreSQL: owners, grants, and roles that are members of others.
import type { Data, Grant, Powers } from "../../databases/data.ts";
import type { Context, Failure, Meant } from "../../databases/dialect.ts";
import { type Use, usesOf } from "../../databases/uses.ts";
import { bare } from "../../databases/words.ts";

/** The role that everybody is a member of. */
const everybody = "PUBLIC";
/** Of tables that are made later. */
const later = "*";

const onTable = (database: string, table: string) => `table ${database} ${table}`;
const onSchema = (database: string) => `schema ${database}`;
const onRole = (role: string) => `role ${role}`;

/** Itself, and the roles that it is a member of. */
export function rolesOf(data: Data, user: string): ReadonlySet<string> {
  const found = new Set([user, everybody]);
  for (const role of found)
    for (const on of data.granted(role).keys()) if (on.startsWith("role ")) found.add(on.slice("role ".length));
  return found;
}

export function postgresDenial(context: Context): Failure | undefined {
  const { data, user, sql } = context;
  if (data.users.get(user)?.isAdmin) return undefined;
  const words = sql.trim().replace(/\s+/g, " ");
  const powers = data.users.get(user)?.may ?? {};
  if (/^create database\b/i.test(words) && !powers.createDatabases)
    return denied("permission denied to create database");
  const [, verb = "", role = ""] = /^(create|alter|drop) (?:user|role) (?:if exists )?("?[\w-]+"?)/i.exec(words) ?? [];
  if (verb !== "" && !powers.createRoles && !(verb.toLowerCase() === "alter" && bare(role) === user))
    return denied(`permission denied to ${verb.toLowerCase()} role`);
  for (const use of usesOf(sql)) {
    const why = refused(context, use);
    if (why) return why;
  }
  return undefined;
}

function refused(context: Context, { privilege, table, schema = "public" }: Use): Failure | undefined {
  const { data, user, database, sql } = context;
  if (schema !== "public" || table.startsWith("pg_") || table.startsWith("sqlite_")) return undefined;
  const roles = rolesOf(data, user);
  if (privilege === "CREATE") return mayCreate(context, roles) ? undefined : notInSchema(sql, table);
  const isThere = hasTable(context, table);
  if (!isThere) return undefined;
  const owner = data.ownerOf(database, table);
  if (owner !== undefined && roles.has(owner)) return undefined;
  if (privilege === "DROP" || privilege === "ALTER" || privilege === "INDEX")
    return denied(`must be owner of table ${table}`);
  const may = [...roles].some((role) => {
    const own = data.granted(role);
    return [own.get(onTable(database, table)), own.get(onTable(database, later))].some(
      (one) => one?.has("ALL") || one?.has(privilege),
    );
  });
  return may ? undefined : denied(`permission denied for table ${table}`);
}

/** Since version 15 the public schema is its database's owner's. */
function mayCreate({ data, database, version }: Context, roles: ReadonlySet<string>): boolean {
  if (Number.parseInt(version, 10) < 15 || roles.has(data.databases.get(database)?.owner ?? "")) return true;
  return [...roles].some((role) => {
    const own = data.granted(role).get(onSchema(database));
    return own?.has("ALL") || own?.has("CREATE");
  });
}

function notInSchema(sql: string, table: string): Failure {
  const place = sql.toLowerCase().indexOf(table.toLowerCase());
  return { ...denied("permission denied for schema public"), ...(place < 0 ? {} : { place }) };
}

function hasTable({ read }: Context, table: string): boolean {
  const found = read(`select 1 from sqlite_master where name = '${table.replaceAll("'", "''")}'`);
  return !("error" in found) && (found[0]?.rows.length ?? 0) > 0;
}

function denied(message: string): Failure {
  return { kind: "error", code: "42501", message };
}

/** What GRANT, REVOKE and ALTER DEFAULT PRIVILEGES lead to; undefined for other statements. */
export function postgresGrant(context: Context): Meant | undefined {
  const words = context.sql.trim().replace(/\s+/g, " ");
  const [, isDefault, verb = "", rest = ""] =
    /^(alter default privileges .*?)?\b(grant|revoke) (.*)$/i.exec(words) ?? [];
  if (verb === "" || (isDefault === undefined && !/^(grant|revoke)\b/i.test(words))) return undefined;
  const isTaken = verb.toLowerCase() === "revoke";
  const tag = isDefault === undefined ? verb.toUpperCase() : "ALTER DEFAULT PRIVILEGES";
  const plain = rest.replace(/^grant option for /i, "").replace(/ (with grant option|cascade|restrict)\b.*$/i, "");
  const [left = "", right = ""] = plain.split(isTaken ? / from (?!.* from )/i : / to (?!.* to )/i);
  const roles = right.split(",").map((one) => bare(one.trim().replace(/^(group|role) /i, "")));
  for (const role of roles) {
    const isKnown = role.toUpperCase() === everybody || context.data.users.has(role);
    if (!isKnown) return { reply: { kind: "error", code: "42704", message: `role "${role}" does not exist` } };
  }
  const [, what = "", target = ""] = /^(.*?) on (.*)$/i.exec(left) ?? [];
  const privileges = (what === "" ? ["ALL"] : what.split(",")).map((one) =>
    one
      .trim()
      .toUpperCase()
      .replace(/^ALL PRIVILEGES$/, "ALL"),
  );
  const objects = target === "" ? left.split(",").map((one) => onRole(bare(one.trim()))) : objectsOf(context, target);
  if ("kind" in objects) return { reply: objects };
  const lines: Grant[] = roles.flatMap((role) =>
    objects.map((on) => ({
      grant: role.toUpperCase() === everybody ? everybody : role,
      on,
      privileges,
      ...(isTaken ? { isTaken } : {}),
    })),
  );
  return { reply: { kind: "done", tag, changes: 0 }, lines };
}

function objectsOf(context: Context, target: string): readonly string[] | Failure {
  const { database } = context;
  if (/^tables$/i.test(target)) return [onTable(database, later)];
  if (/^all tables in schema/i.test(target)) {
    const found = context.read("select name from sqlite_master where type in ('table', 'view')");
    return "error" in found ? [] : (found[0]?.rows ?? []).map(([one]) => onTable(database, String(one)));
  }
  if (/^schema\b/i.test(target)) return [onSchema(database)];
  if (/^(database|sequences?|all (sequences|functions)|functions?|language|type)\b/i.test(target)) {
    const [, named] = /^database ("?[\w-]+"?)/i.exec(target) ?? [];
    if (named !== undefined && !context.data.databases.has(bare(named)))
      return { kind: "error", code: "3D000", message: `database "${bare(named)}" does not exist` };
    return [`other ${target.toLowerCase()}`];
  }
  const tables = target
    .replace(/^table /i, "")
    .split(",")
    .map((one) => bare(one.trim().replace(/^public\./i, "")));
  const missing = tables.find((one) => !hasTable(context, one));
  if (missing !== undefined) return { kind: "error", code: "42P01", message: `relation "${missing}" does not exist` };
  return tables.map((one) => onTable(database, one));
}

/** What a role may do by the options that stand behind it. */
export function powersOf(options: string): Powers {
  const said = (yes: RegExp, no: RegExp) => (no.test(options) ? false : yes.test(options) ? true : undefined);
  const [logIn, createDatabases, createRoles] = [
    said(/\blogin\b/i, /\bnologin\b/i),
    said(/\bcreatedb\b/i, /\bnocreatedb\b/i),
    said(/\bcreaterole\b/i, /\bnocreaterole\b/i),
  ];
  return {
    ...(logIn === undefined ? {} : { logIn }),
    ...(createDatabases === undefined ? {} : { createDatabases }),
    ...(createRoles === undefined ? {} : { createRoles }),
  };
}
