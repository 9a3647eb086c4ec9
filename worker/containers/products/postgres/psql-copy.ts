// psql's COPY: converts the rows of a text into INSERTs, and the rows of a table into a text.
import { absolute } from "../../shell/files.ts";
import { edit } from "../../shell/process.ts";
import type { ProgramCall } from "../../shell/program.ts";
import type { Cell } from "../../wasm/sql.ts";
import type { Task } from "../../../../shared/shell/task.ts";
import type { Reply } from "../../databases/dialect.ts";
import { bare, literal } from "../../databases/quoting.ts";

export interface Copied {
  readonly call: ProgramCall;
  ask(sql: string): Task<Reply | { readonly kind: "lost" }>;
}

/** The maximum size of one INSERT, in rows and letters. */
const most = { rows: 100, letters: 16_000 };

/** The pattern of a statement on one line, with one space between its words. */
const form = /^(?:copy )?([\w."]+|\(.*\)) ?(?:\(([^()]*)\) )?(from|to) (?:program )?('[^']*'|[^ ']+)(?: (.*))?$/i;

/** Reports whether the lines behind a statement are its data. */
export function takesData(sql: string): boolean {
  return /^copy\b[\s\S]*\bfrom\s+stdin\b/i.test(sql.trim());
}

/** Runs a COPY. Returns whether it succeeded, or undefined if the statement is not a COPY. */
export function* runCopy(client: Copied, sql: string, data: readonly string[] = []): Task<boolean | undefined> {
  const [, what = "", columns, way = "", place = "", options = ""] = form.exec(sql.trim().replace(/\s+/g, " ")) ?? [];
  if (what === "") return undefined;
  const isCsv = /\bcsv\b/i.test(options);
  const hasHead = /\bheader\b/i.test(options) && !/header\s+false/i.test(options);
  const [, separator = isCsv ? "," : "\t"] = /delimiter\s+(?:as\s+)?'(.)'/i.exec(options) ?? [];
  const file = /^std(in|out)$/i.test(place) ? undefined : bare(place);
  const shape = { isCsv, hasHead, separator };
  return way.toLowerCase() === "to"
    ? yield* copyOut(client, what, columns, file, shape)
    : yield* copyIn(client, { what, columns, file, data, shape });
}

interface Shape {
  readonly isCsv: boolean;
  readonly hasHead: boolean;
  readonly separator: string;
}

function* copyOut(
  client: Copied,
  what: string,
  columns: string | undefined,
  file: string | undefined,
  { isCsv, hasHead, separator }: Shape,
): Task<boolean> {
  const { call } = client;
  const reply = yield* client.ask(what.startsWith("(") ? what.slice(1, -1) : `select ${columns ?? "*"} from ${what}`);
  if (reply.kind !== "rows") {
    if ("message" in reply) call.err(`ERROR:  ${reply.message}\n`);
    return false;
  }
  const cell = (value: Cell) => {
    if (value === null) return isCsv ? "" : "\\N";
    const text = String(value);
    if (!isCsv)
      return text.replace(/[\\\t\n]/g, (special) => ({ "\\": "\\\\", "\t": "\\t", "\n": "\\n" })[special] ?? special);
    return /["\n]/.test(text) || text.includes(separator) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const lines = reply.rows.map((row) => row.map(cell).join(separator));
  const text = [...(hasHead ? [reply.columns.join(separator)] : []), ...lines].map((line) => `${line}\n`).join("");
  if (file === undefined) call.out(text);
  else {
    edit(call.process, { path: absolute(file, call.shell.folder), text });
    call.out(`COPY ${reply.rows.length}\n`);
  }
  return true;
}

interface Taken {
  readonly what: string;
  readonly columns: string | undefined;
  readonly file: string | undefined;
  readonly data: readonly string[];
  readonly shape: Shape;
}

function* copyIn(client: Copied, { what, columns, file, data, shape }: Taken): Task<boolean> {
  const { call } = client;
  const text = file === undefined ? undefined : call.process.files.get(absolute(file, call.shell.folder))?.text;
  if (file !== undefined && text === undefined) {
    call.err(`${file}: No such file or directory\n`);
    return false;
  }
  const lines = text === undefined ? data : text.replace(/\n$/, "").split("\n");
  const rows = lines.slice(shape.hasHead ? 1 : 0).map((line) => `(${cells(line, shape).join(", ")})`);
  const insert = `INSERT INTO ${what} ${columns === undefined ? "" : `(${columns}) `}VALUES `;
  // All rows are inserted or none: a transaction is opened if there is none.
  const begun = yield* client.ask("begin");
  const isOwn = begun.kind === "done" && begun.notice === undefined;
  for (let at = 0; at < rows.length; ) {
    const some: string[] = [];
    for (let letters = 0; at < rows.length && some.length < most.rows && letters < most.letters; at++) {
      some.push(rows[at] ?? "");
      letters += rows[at]?.length ?? 0;
    }
    const reply = yield* client.ask(insert + some.join(", "));
    if (reply.kind === "done") continue;
    if (isOwn) yield* client.ask("rollback");
    if ("message" in reply) call.err(`ERROR:  ${reply.message}\nCONTEXT:  COPY ${what}, line ${at}\n`);
    return false;
  }
  if (isOwn) yield* client.ask("commit");
  call.out(`COPY ${rows.length}\n`);
  return true;
}

function cells(line: string, { isCsv, separator }: Shape): string[] {
  if (isCsv)
    return csv(line, separator).map(({ text, isQuoted }) => (text === "" && !isQuoted ? "NULL" : literal(text)));
  const letters: Readonly<Record<string, string>> = { "\\t": "\t", "\\n": "\n", "\\\\": "\\" };
  return line
    .split(separator)
    .map((field) => (field === "\\N" ? "NULL" : literal(field.replace(/\\[tn\\]/g, (two) => letters[two] ?? two))));
}

function csv(line: string, separator: string): { readonly text: string; readonly isQuoted: boolean }[] {
  const fields: { text: string; isQuoted: boolean }[] = [{ text: "", isQuoted: false }];
  let isInside = false;
  for (let at = 0; at < line.length; at++) {
    const letter = line.charAt(at);
    const last = fields.at(-1);
    if (!last) break;
    if (letter === '"' && isInside && line.charAt(at + 1) === '"') {
      last.text += '"';
      at++;
    } else if (letter === '"') {
      isInside = !isInside;
      last.isQuoted = true;
    } else if (letter === separator && !isInside) fields.push({ text: "", isQuoted: false });
    else last.text += letter;
  }
  return fields;
}
