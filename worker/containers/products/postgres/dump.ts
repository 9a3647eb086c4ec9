// pg_dump, pg_dumpall and pg_restore, and the programs that create and drop databases and roles. psql can read their output.
import type { Task } from "../../../../shared/shell/task.ts";
import { absolute } from "../../shell/files.ts";
import { inner } from "../../shell/inner.ts";
import { takeAll } from "../../shell/input.ts";
import { edit } from "../../shell/process.ts";
import { type OptionNames, type Parsed, parsed } from "../../shell/programs/long-options.ts";
import type { ProgramCall, Programs } from "../../shell/program.ts";
import type { Cell } from "../../wasm/sql.ts";
import { type Destination, destinationOf, PostgresClient, serverOptions } from "./client.ts";
import { runCopy } from "./psql-copy.ts";

export const postgresDumpPrograms: Programs = {
  pg_dump: dump,
  pg_dumpall: dumpAll,
  pg_restore: restore,
  createdb: (call) =>
    administer(call, (name, { owner }) => `create database "${name}"${owner ? ` owner "${owner}"` : ""}`),
  dropdb: (call) => administer(call, (name, { ifThere }) => `drop database ${ifThere ? "if exists " : ""}"${name}"`),
  createuser: (call) =>
    administer(call, (name, { isAdmin }) => `create role "${name}" login${isAdmin ? " superuser" : ""}`),
  dropuser: (call) => administer(call, (name, { ifThere }) => `drop role ${ifThere ? "if exists " : ""}"${name}"`),
};

/** The header of a dump in the custom format. The rest of it is text here. */
const custom = "PGDMP\n";

const dumpNames: OptionNames = {
  ...serverOptions,
  f: "file=",
  n: "schema=",
  t: "table=",
  T: "exclude-table=",
  F: "format=",
  Z: "compress=",
  j: "jobs=",
  s: "schema-only",
  a: "data-only",
  c: "clean",
  C: "create",
  O: "no-owner",
};
const roleNames: OptionNames = { ...serverOptions, O: "owner=", T: "template=", W: "password", s: "superuser" };

interface DumpOptions extends Parsed {
  readonly to: Destination;
}

/** Parses options. With `database`, they do not choose the database of the connection. */
function dumpOptions(call: ProgramCall, names: OptionNames, database?: string): DumpOptions {
  const options = parsed(call.args, names);
  const value = (name: string) => (name === "dbname" && database !== undefined ? database : options.value(name));
  return { ...options, to: destinationOf(call, value, database === undefined ? options.rest : []) };
}

function* dump(call: ProgramCall): Task<number> {
  if (call.args.includes("--version") || call.args.includes("-V")) return version(call);
  const options = dumpOptions(call, { ...dumpNames, d: "dbname=" });
  const client = new PostgresClient(call, options.to);
  if (!(yield* client.connected())) return 1;
  const text = yield* dumpTables(client, options);
  if (text === undefined) return 1;
  const isCustom = /^[ct]/.test(options.value("format") ?? "p");
  deliver(call, options.value("file"), isCustom ? custom + text : text);
  return 0;
}

function version({ name, out }: ProgramCall): number {
  out(`${name} (PostgreSQL) 18.1 (Debian 18.1-1.pgdg13+1)\n`);
  return 0;
}

function deliver({ process, shell, out }: ProgramCall, file: string | undefined, text: string): void {
  if (file === undefined) out(text);
  else edit(process, { path: absolute(file, shell.folder), text });
}

const settings = `SET statement_timeout = 0;
SET lock_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET client_min_messages = warning;
SET row_security = off;
`;

/** Returns the database as a script; undefined if a requested table does not exist or may not be read. */
function* dumpTables(
  client: PostgresClient,
  { has, value }: Pick<DumpOptions, "has" | "value">,
): Task<string | undefined> {
  const { call } = client;
  const requestedTable = value("table")?.replace(/^public\./, "");
  const tableOwners = yield* rowsOf(client, "select tablename, tableowner from pg_tables");
  const owners = new Map(tableOwners.map(([name, owner]) => [name, String(owner)]));
  const entries = yield* rowsOf(
    client,
    "select type, name, tbl_name, sql from sqlite_master where sql is not null and name not like 'sqlite_%' order by rowid",
  );
  const selected = entries.filter(
    ([, name, table]) => requestedTable === undefined || name === requestedTable || table === requestedTable,
  );
  if (requestedTable !== undefined && selected.length === 0) {
    call.err("pg_dump: error: no matching tables were found\n");
    return undefined;
  }
  const tables = selected.filter(([type]) => type === "table").map(([, name]) => String(name));
  const sections = [
    `--\n-- PostgreSQL database dump\n--\n\n-- Dumped from database version ${client.version}\n-- Dumped by pg_dump version 18.1\n\n${settings}\n`,
  ];
  const isClean = has("clean");
  if (has("create")) sections.push(`CREATE DATABASE ${client.database};\n\n\\connect ${client.database}\n\n`);
  if (isClean)
    for (const name of tables) sections.push(`DROP TABLE ${has("if-exists") ? "IF EXISTS " : ""}public.${name};\n`);
  if (!has("data-only"))
    for (const [type, name, , sql] of selected) {
      const owner = owners.get(name ?? "") ?? client.user;
      const head = `--\n-- Name: ${String(name)}; Type: ${String(type).toUpperCase()}; Schema: public; Owner: ${owner}\n--\n\n`;
      sections.push(`${head}${definition(String(type), String(name), String(sql))};\n\n`);
      if (type === "table" && !has("no-owner"))
        sections.push(`\nALTER TABLE public.${String(name)} OWNER TO ${owner};\n\n`);
    }
  if (!has("schema-only"))
    for (const name of tables) {
      const data = yield* dataOf(client, name, has("inserts") || has("column-inserts"));
      if (data === undefined) return undefined;
      sections.push(
        `--\n-- Data for Name: ${name}; Type: TABLE DATA; Schema: public; Owner: ${owners.get(name) ?? ""}\n--\n\n${data}\n\n`,
      );
    }
  return `${sections.join("")}--\n-- PostgreSQL database dump complete\n--\n\n`;
}

/** Returns a definition in PostgreSQL's syntax. */
function definition(type: string, name: string, sql: string): string {
  if (type !== "table") return sql;
  return sql
    .replace(/^\s*create table (?:if not exists )?("?[\w-]+"?)/i, `CREATE TABLE public.${name}`)
    .replace(/\bINTEGER PRIMARY KEY AUTOINCREMENT\b/gi, "serial PRIMARY KEY");
}

/** Returns the rows of a query; an empty list if it fails. */
function* rowsOf(client: PostgresClient, sql: string): Task<readonly (readonly Cell[])[]> {
  const reply = yield* client.ask(sql);
  return reply.kind === "rows" ? reply.rows : [];
}

/** Returns the rows of a table; undefined after an error message if they may not be read. */
function* dataOf(client: PostgresClient, table: string, isInserts: boolean): Task<string | undefined> {
  if (!isInserts) {
    let text = "";
    const call = { ...client.call, out: (more: string) => void (text += more) };
    const columns = yield* client.ask(`select name from pragma_table_info('${table.replaceAll("'", "''")}')`);
    const names = columns.kind === "rows" ? columns.rows.map(([name]) => String(name)).join(", ") : "";
    const done = yield* runCopy({ call, ask: (sql) => client.ask(sql) }, `copy public.${table} (${names}) to stdout`);
    return done ? `COPY public.${table} (${names}) FROM stdin;\n${text}\\.\n` : undefined;
  }
  const reply = yield* client.ask(`select * from ${table}`);
  if (reply.kind !== "rows") return undefined;
  const value = (cell: Cell) =>
    cell === null ? "NULL" : typeof cell === "number" ? String(cell) : `'${String(cell).replaceAll("'", "''")}'`;
  return reply.rows.map((row) => `INSERT INTO public.${table} VALUES (${row.map(value).join(", ")});\n`).join("");
}

function* dumpAll(call: ProgramCall): Task<number> {
  const options = dumpOptions(call, { ...dumpNames, d: "dbname=", l: "database=" }, "postgres");
  const client = new PostgresClient(call, options.to);
  if (!(yield* client.connected())) return 1;
  const names = yield* rowsOf(client, "select rolname from pg_roles order by 1");
  const roles = names.map(([role]) => `CREATE ROLE ${role};\nALTER ROLE ${role} WITH LOGIN;\n`);
  const sections = [`--\n-- PostgreSQL database cluster dump\n--\n\n--\n-- Roles\n--\n\n${roles.join("")}\n`];
  const databases = yield* rowsOf(client, "select datname from pg_database where datistemplate = 'f' order by 1");
  for (const name of databases.map(([databaseName]) => String(databaseName))) {
    if (!(yield* client.connected(name))) return 1;
    const text = yield* dumpTables(client, {
      ...options,
      has: (option) => (name !== "postgres" && option === "create") || options.has(option),
    });
    if (text === undefined) return 1;
    sections.push(
      `--\n-- Database "${name}" dump\n--\n\n${name === "postgres" ? "\\connect postgres\n\n" : ""}${text}`,
    );
  }
  deliver(call, options.value("file"), `${sections.join("")}--\n-- PostgreSQL database cluster dump complete\n--\n\n`);
  return 0;
}

/** Reads the output of `pg_dump -Fc` and runs it with psql. */
function* restore(call: ProgramCall): Task<number> {
  const { process, shell, err, out, input } = call;
  if (call.args.includes("--version") || call.args.includes("-V")) return version(call);
  const { value, rest, has, to } = dumpOptions(call, { ...dumpNames, d: "dbname=", l: "list" });
  const [file] = rest;
  const text =
    file === undefined ? yield* takeAll(process, input) : process.files.get(absolute(file, shell.folder))?.text;
  if (process.paused) return 0;
  if (text === undefined) {
    err(`pg_restore: error: could not open input file "${file ?? ""}": No such file or directory\n`);
    return 1;
  }
  if (!text.startsWith(custom)) {
    err(
      /^--\n-- PostgreSQL database/.test(text)
        ? "pg_restore: error: input file appears to be a text format dump. Please use psql.\n"
        : "pg_restore: error: input file does not appear to be a valid archive\n",
    );
    return 1;
  }
  const script = text.slice(custom.length);
  const database = value("dbname");
  if (database === undefined) {
    if (!has("list") && value("file") === undefined) {
      err("pg_restore: error: one of -d/--dbname and -f/--file must be specified\n");
      return 1;
    }
    if (has("list")) {
      const entries = [...script.matchAll(/^-- Name: (.*); Type: (\w+); Schema: public; Owner: (\w*)$/gm)];
      const lines = entries.map(
        ([, name = "", type = "", owner = ""], at) =>
          `${214 + at}; 1259 ${16_385 + at} ${type} public ${name} ${owner}\n`,
      );
      out(
        `;\n; Archive created at ${new Date(process.clockMs).toISOString().slice(0, 19).replace("T", " ")} UTC\n;\n${lines.join("")}`,
      );
    } else deliver(call, value("file") === "-" ? undefined : value("file"), script);
    return 0;
  }
  const tables = has("clean")
    ? [...script.matchAll(/^CREATE TABLE public\.(\S+)/gm)].map(([, tableName = ""]) => tableName).reverse()
    : [];
  const dropped = tables.map((tableName) => `DROP TABLE IF EXISTS public.${tableName};\n`).join("");
  const client = [
    "psql",
    "-q",
    "-U",
    to.user,
    ...(to.host === undefined ? [] : ["-h", to.host]),
    "-p",
    String(to.port),
    "-d",
    database,
  ];
  const psqlShell = { ...inner(call), input: { rest: dropped + script }, out: () => undefined };
  yield* shell.run(psqlShell, client);
  return psqlShell.exitCode === 0 ? 0 : 1;
}

interface Wish {
  readonly owner: string | undefined;
  readonly isAdmin: boolean;
  readonly ifThere: boolean;
}

function* administer(call: ProgramCall, statement: (name: string, wish: Wish) => string): Task<number> {
  const { to, value, has, rest } = dumpOptions(call, roleNames, "postgres");
  const client = new PostgresClient(call, to);
  if (!(yield* client.connected())) return 1;
  const sql = statement(rest[0] ?? to.user, {
    owner: value("owner"),
    isAdmin: has("superuser"),
    ifThere: has("if-exists"),
  });
  const done = yield* client.ask(sql);
  if (done.kind === "done") return 0;
  const what =
    {
      createdb: "database creation",
      dropdb: "database removal",
      createuser: "creation of new role",
      dropuser: "removal of role",
    }[call.name] ?? "";
  const subject = call.name.endsWith("user") && call.name !== "createuser" ? ` "${rest[0] ?? ""}"` : "";
  if ("message" in done) call.err(`${call.name}: error: ${what}${subject} failed: ERROR:  ${done.message}\n`);
  return 1;
}
