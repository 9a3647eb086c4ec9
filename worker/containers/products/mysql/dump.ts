// mysqldump and mariadb-dump: write tables and rows as statements that mysql can read.
import type { Task } from "../../../../shared/shell/task.ts";
import { absolute } from "../../shell/files.ts";
import { edit } from "../../shell/process.ts";
import type { ProgramCall, Programs } from "../../shell/program.ts";
import type { Opened } from "../../shell/programs/connection.ts";
import type { Reply } from "../../databases/dialect.ts";
import { insecure, lost, MysqlSession, optionsOf, withPassword } from "./connection.ts";
import { literal } from "../../databases/quoting.ts";

export const mysqlDumpPrograms: Programs = { mysqldump: dump, "mariadb-dump": dump };

/** The maximum length of one INSERT, in letters. */
const mostLetters = 16_000;
const systemDatabases = new Set(["information_schema", "performance_schema", "mysql", "sys"]);

function* dump(call: ProgramCall): Task<number> {
  const { name, process, out, err, shell, args } = call;
  if (args.includes("--version") || args.includes("-V")) {
    out("mysqldump  Ver 9.5.0 for Linux on x86_64 (MySQL Community Server - GPL)\n");
    return 0;
  }
  const options = yield* withPassword(call, optionsOf(call));
  if (!options) return 1;
  if (name === "mysqldump" && args.some((arg) => /^(-p|--password=)./.test(arg)))
    err(`mysqldump: [Warning] ${insecure}\n`);
  const { names: optionNames } = options;
  const isAll = optionNames.has("all-databases") || optionNames.has("A");
  const isNamed = isAll || optionNames.has("databases") || optionNames.has("B");
  const file = args.find((arg) => /^(--result-file=|-r.)/.test(arg))?.replace(/^(--result-file=|-r)/, "");
  const session = new MysqlSession(call, { ...options, database: "" });
  const first = yield* session.ask("select version()");
  if ("reached" in first || first.kind !== "rows")
    return process.paused ? 0 : reportError(call, options.host, options.port, first);
  const [main = "", ...tables] = options.rest;
  if (!isNamed && main === "") {
    out(
      "Usage: mysqldump [OPTIONS] database [tables]\nOR     mysqldump [OPTIONS] --databases [OPTIONS] DB1 [DB2 DB3...]\nOR     mysqldump [OPTIONS] --all-databases [OPTIONS]\n",
    );
    return 1;
  }
  const all = isAll
    ? (yield* rowsOf(session, "show databases")).filter((database) => !systemDatabases.has(database))
    : isNamed
      ? options.rest
      : [main];
  const version = String(first.rows[0]?.[0]);
  const sections = [
    `-- MySQL dump 10.13  Distrib ${version}, for Linux (x86_64)\n--\n-- Host: ${options.host}    Database: ${isNamed ? "" : main}\n-- ------------------------------------------------------\n-- Server version\t${version}\n\n/*!40101 SET NAMES utf8mb4 */;\n\n`,
  ];
  for (const database of all) {
    const used = yield* session.ask(`use ${database}`);
    if ("reached" in used || used.kind !== "done")
      return reportError(call, options.host, options.port, used, "when selecting the database");
    if (isNamed)
      sections.push(
        `--\n-- Current Database: \`${database}\`\n--\n\nCREATE DATABASE IF NOT EXISTS \`${database}\`;\n\nUSE \`${database}\`;\n\n`,
      );
    for (const table of isNamed || tables.length === 0 ? yield* rowsOf(session, "show tables") : tables) {
      const text = yield* tableText(session, table, optionNames);
      if (text === undefined) {
        err(`mysqldump: Couldn't find table: "${table}"\n`);
        return 6;
      }
      sections.push(text);
    }
  }
  sections.push(`-- Dump completed on ${new Date(process.clockMs).toISOString().slice(0, 19).replace("T", " ")}\n`);
  if (file === undefined) out(sections.join(""));
  else edit(process, { path: absolute(file, shell.folder), text: sections.join("") });
  return 0;
}

function reportError(
  call: ProgramCall,
  host: string,
  port: number,
  reply: Reply | Opened,
  when = "when trying to connect",
): number {
  if ("reached" in reply) {
    const [, code = "", why = ""] = /^ERROR (\d+) \(\w+\): ([^]*)\n$/.exec(lost(reply, host, port)) ?? [];
    call.err(`${call.name}: Got error: ${code}: ${why} ${when}\n`);
  } else if ("message" in reply)
    call.err(`${call.name}: Got error: ${reply.code.split(" ")[0] ?? ""}: ${reply.message} ${when}\n`);
  return 2;
}

function* rowsOf(session: MysqlSession, sql: string): Task<string[]> {
  const reply = yield* session.ask(sql);
  return !("reached" in reply) && reply.kind === "rows" ? reply.rows.map(([cell]) => String(cell)) : [];
}

function* tableText(session: MysqlSession, table: string, optionNames: ReadonlySet<string>): Task<string | undefined> {
  const createReply = yield* session.ask(`show create table ${table}`);
  if ("reached" in createReply || createReply.kind !== "rows") return undefined;
  const sections: string[] = [];
  if (!optionNames.has("no-create-info") && !optionNames.has("t")) {
    sections.push(`--\n-- Table structure for table \`${table}\`\n--\n\n`);
    if (!optionNames.has("skip-add-drop-table")) sections.push(`DROP TABLE IF EXISTS \`${table}\`;\n`);
    sections.push(`${String(createReply.rows[0]?.[1])};\n\n`);
  }
  const rowsReply =
    optionNames.has("no-data") || optionNames.has("d") ? undefined : yield* session.ask(`select * from \`${table}\``);
  if (rowsReply && !("reached" in rowsReply) && rowsReply.kind === "rows") {
    sections.push(`--\n-- Dumping data for table \`${table}\`\n--\n\nLOCK TABLES \`${table}\` WRITE;\n`);
    sections.push(...inserts(table, rowsReply.rows), "UNLOCK TABLES;\n\n");
  }
  return sections.join("");
}

function inserts(table: string, rows: Extract<Reply, { readonly kind: "rows" }>["rows"]): string[] {
  const insertStatements: string[] = [];
  let some: string[] = [];
  let letters = 0;
  const flush = () => {
    if (some.length > 0) insertStatements.push(`INSERT INTO \`${table}\` VALUES ${some.join(",")};\n`);
    some = [];
    letters = 0;
  };
  for (const row of rows) {
    const text = `(${row.map((cell) => (cell === null ? "NULL" : typeof cell === "number" ? String(cell) : literal(String(cell)))).join(",")})`;
    if (letters + text.length > mostLetters) flush();
    some.push(text);
    letters += text.length;
  }
  flush();
  return insertStatements;
}
