// A database server answers a statement: who asks, what is changed, what comes back. It is worked out from its data alone.
import { stableHex } from "../../../shared/base/stable.ts";
import type { Files } from "../shell/files.ts";
import { Stopped } from "../../../shared/shell/meter.ts";
import { idleCall } from "../wasm/idle.ts";
import { Sql } from "../wasm/sql.ts";
import { dataOf, lineText } from "./data.ts";
import type { Asked, Context, Reply } from "./dialect.ts";
import { mysqlDialect } from "./mysql.ts";
import { postgresDialect } from "./postgres.ts";

export interface Replied {
  readonly reply: Reply;
  /** What is written at the end of the server's data. */
  readonly more: string;
  /** Units of work that it took. */
  readonly work: number;
}

export const dialects = { mysql: mysqlDialect, postgres: postgresDialect } as const;
export type DialectName = keyof typeof dialects;

/** Of a statement. */
const mostCharacters = 32_768;
/** What one statement may cost, with what is replayed before it. */
const statementWork = 20_000;

/** A connection with one statement. */
export interface DatabaseVisit {
  readonly files: Files;
  readonly from: string;
  readonly nowMs: number;
  /** Tells it from others of the same words in the same moment. */
  readonly number: number;
}

/** `path`: the server's data. */
export function replied(
  name: DialectName,
  server: DatabaseVisit & { readonly path: string; readonly version: string },
  asked: Asked,
): Replied {
  const { process } = idleCall(server.nowMs, statementWork);
  const said = (reply: Reply, more = ""): Replied => ({
    reply,
    more,
    work: statementWork - Math.max(0, process.meter.work),
  });
  const dialect = dialects[name];
  const id = stableHex(JSON.stringify([server.from, server.nowMs, server.number, asked.database, asked.sql]), 16);
  const data = dataOf(server.files.get(server.path)?.text ?? "", id);
  let opened: Sql | undefined;
  const base = { ...asked, data, nowMs: server.nowMs, version: server.version, from: server.from };
  const open = (): Sql | undefined => {
    if (opened) return opened;
    opened = Sql.open(process);
    for (const { sql, atMs } of data.statements(asked.database)) {
      process.clockMs = atMs;
      opened?.run(sql);
    }
    process.clockMs = server.nowMs;
    return opened;
  };
  const context: Context = {
    ...base,
    read: (sql) => open()?.run(sql) ?? { error: "SQL is not simulated in this sandbox" },
  };
  try {
    const refusal = dialect.refusal(context);
    if (refusal) return said(refusal);
    if (asked.sql.trim() === "") return said({ kind: "done", tag: "", changes: 0 });
    if (asked.sql.length > mostCharacters) return said(dialect.failure("statement too long", context));
    const meant = dialect.meaning(context);
    if ("reply" in meant) return said(meant.reply, (meant.lines ?? []).map((one) => lineText({ id, ...one })).join(""));
    if (meant.changes && data.isFull) return said(dialect.failure("database or disk is full", context));
    const found = context.read(meant.sql);
    if ("error" in found) return said(dialect.failure(found.error, context));
    const last = found.at(-1);
    const more = meant.changes ? lineText({ id, sql: meant.sql, in: asked.database, atMs: server.nowMs }) : "";
    if (last && last.columns.length > 0) return said({ kind: "rows", columns: last.columns, rows: last.rows }, more);
    return said({ kind: "done", tag: meant.tag, changes: last?.changes ?? 0 }, more);
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
    return said(dialect.failure("statement was too much work", context));
  } finally {
    opened?.close();
  }
}
