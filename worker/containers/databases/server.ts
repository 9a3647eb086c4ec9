// Answers statements of a database server: checks the client, changes the data and returns the reply, computed from the data alone.
import { stableHex } from "../../../shared/base/stable.ts";
import type { Files } from "../shell/files.ts";
import { Stopped } from "../../../shared/shell/meter.ts";
import type { Process } from "../shell/process.ts";
import { idleCall } from "../wasm/idle.ts";
import { Sql } from "../wasm/sql.ts";
import { type Data, dataOf, type Line, lineText } from "./data.ts";
import type { SqlRequest, Context, Dialect, Meant, Reply } from "./dialect.ts";
import { begun, outsideQuotes } from "./quoting.ts";
import {
  after,
  releaseSavepoint,
  type Step,
  stepOf,
  takenBack,
  type Transaction,
  withStatement,
} from "./transactions.ts";

export interface Replied {
  readonly reply: Reply;
  /** The text to append to the server's data. */
  readonly more: string;
  /** The units of work that it took. */
  readonly work: number;
}

/** The maximum length of a statement. */
const mostCharacters = 32_768;
/** The work that one statement may use, including the replay of those before it. */
const statementWork = 20_000;

/** A connection with one statement. */
export interface DatabaseVisit {
  readonly files: Files;
  readonly from: string;
  readonly nowMs: number;
  /** Distinguishes the statement from equal ones at the same time. */
  readonly number: number;
}

/** The result of a statement. */
interface Outcome {
  readonly reply: Reply;
  readonly lines?: readonly Line[];
  /** The session's transaction afterwards; unchanged if undefined. */
  readonly transaction?: Transaction | "none";
}

/** Answers a request. `path`: the file of the server's data. */
export function replyTo(
  dialect: Dialect,
  server: DatabaseVisit & { readonly path: string; readonly version: string },
  request: SqlRequest,
): Replied {
  const { process } = idleCall(server.nowMs, statementWork);
  const words = [server.from, server.nowMs, server.number, request.database, request.sql];
  const id = stableHex(JSON.stringify([...words, request.transaction?.statements.length ?? 0]), 16);
  const text = server.files.get(server.path)?.text ?? "";
  const session = new Session(dialect, { process, request, data: dataOf(text, id), server });
  const { reply, lines = [], transaction = request.transaction } = session.answered();
  return {
    reply: transaction === undefined || transaction === "none" ? reply : { ...reply, transaction },
    more: lines.map((line) => lineText({ id, ...line })).join(""),
    work: statementWork - Math.max(0, process.meter.work),
  };
}

interface SessionInput {
  readonly process: Process;
  readonly request: SqlRequest;
  readonly data: Data;
  readonly server: { readonly nowMs: number; readonly version: string; readonly from: string };
}

class Session {
  readonly #dialect: Dialect;
  readonly #given: SessionInput;
  #context: Context;
  #opened: Sql | undefined;

  constructor(dialect: Dialect, sessionInput: SessionInput) {
    this.#dialect = dialect;
    this.#given = sessionInput;
    const { request, data, server } = sessionInput;
    this.#context = {
      ...request,
      data,
      nowMs: server.nowMs,
      version: server.version,
      from: server.from,
      read: (sql) => this.#open()?.run(sql) ?? { error: "SQL is not simulated in this sandbox" },
    };
  }

  answered(): Outcome {
    try {
      const outcome = this.#answer();
      const { transaction = this.#given.request.transaction } = outcome;
      const isFailed = outcome.reply.kind === "error" && this.#dialect.transactions.failsWhole;
      return isFailed && transaction !== undefined && transaction !== "none"
        ? { ...outcome, transaction: { ...transaction, hasFailed: true } }
        : outcome;
    } catch (error) {
      if (!(error instanceof Stopped)) throw error;
      return { reply: this.#failure("statement was too much work") };
    } finally {
      this.#opened?.close();
    }
  }

  #answer(): Outcome {
    const sql = begun(this.#context.sql);
    const context = { ...this.#context, sql };
    const { transaction, data } = context;
    const refusal = this.#dialect.refusal(context);
    if (refusal) return { reply: refusal };
    if (outsideQuotes(sql, (text) => text).trim() === "") return { reply: { kind: "done", tag: "", changes: 0 } };
    if (sql.length > mostCharacters) return { reply: this.#failure("statement too long") };
    const step = stepOf(sql);
    if (step) return this.#step(step);
    if (transaction?.hasFailed) {
      const message = "current transaction is aborted, commands ignored until end of transaction block";
      return { reply: { kind: "error", code: "25P02", message } };
    }
    // The statement may name another database.
    this.#context = { ...context, database: this.#dialect.databaseOf(context, data) };
    const meant = this.#dialect.meaning(this.#context);
    if ("reply" in meant) return { reply: meant.reply, ...(meant.lines ? { lines: meant.lines } : {}) };
    if (meant.changes && data.isFull) return { reply: this.#failure("database or disk is full") };
    return this.#run(meant);
  }

  #run(meant: Extract<Meant, { readonly sql: string }>): Outcome {
    const { sql, transaction } = this.#context;
    const result = this.#context.read(meant.sql);
    if ("error" in result) return { reply: this.#failure(result.error) };
    const last = result.at(-1);
    const reply: Reply =
      last && last.columns.length > 0
        ? { kind: "rows", columns: last.columns, rows: last.rows }
        : { kind: "done", tag: meant.tag, changes: last?.changes ?? 0 };
    if (!meant.changes) return { reply };
    const lines = meant.lines ?? [];
    if (transaction === undefined) return { reply, lines: [...lines, this.#line([meant.sql])] };
    if (this.#dialect.transactions.commitsFirst(sql)) {
      const all = [...transaction.statements, meant.sql];
      return { reply, lines: [...lines, this.#line(all)], transaction: after(transaction) ?? "none" };
    }
    const next = withStatement(transaction, meant.sql);
    return next ? { reply, lines, transaction: next } : { reply: this.#dialect.transactions.full };
  }

  #step(step: Step): Outcome {
    const { transaction } = this.#context;
    const { failsWhole, missing } = this.#dialect.transactions;
    const done = (tag: string, notice?: string): Reply => ({
      kind: "done",
      tag,
      changes: 0,
      ...(notice === undefined || !failsWhole ? {} : { notice }),
    });
    const isNone = transaction === undefined;
    const none = "there is no transaction in progress";
    switch (step.kind) {
      case "begin": {
        if (failsWhole && transaction) return { reply: done("BEGIN", "there is already a transaction in progress") };
        const before = transaction ? this.#commit(transaction) : undefined;
        const begun = { statements: [], savepoints: [], ...(transaction?.isManual ? { isManual: true } : {}) };
        return before?.reply.kind === "error"
          ? before
          : { reply: done("BEGIN"), lines: before?.lines ?? [], transaction: begun };
      }
      case "manual": {
        const before = transaction && !step.isManual ? this.#commit(transaction) : undefined;
        if (before?.reply.kind === "error") return before;
        const begun = { ...(transaction ?? { statements: [], savepoints: [] }), isManual: true };
        return { reply: done("SET"), lines: before?.lines ?? [], transaction: step.isManual ? begun : "none" };
      }
      case "commit":
        if (isNone) return { reply: done("COMMIT", none) };
        return transaction.hasFailed
          ? { reply: done("ROLLBACK"), transaction: after(transaction) ?? "none" }
          : this.#commit(transaction);
      case "rollback":
        if (isNone) return { reply: done("ROLLBACK", none) };
        return { reply: done("ROLLBACK"), transaction: after(transaction) ?? "none" };
      case "save":
        if (isNone) return failsWhole ? { reply: missing("SAVEPOINT", false) } : { reply: done("SAVEPOINT") };
        return {
          reply: done("SAVEPOINT"),
          transaction: {
            ...transaction,
            savepoints: [...transaction.savepoints, [step.name, transaction.statements.length]],
          },
        };
      case "back":
      case "release": {
        const isBack = step.kind === "back";
        if (isNone && failsWhole)
          return { reply: missing(isBack ? "ROLLBACK TO SAVEPOINT" : "RELEASE SAVEPOINT", false) };
        const next =
          transaction && (isBack ? takenBack(transaction, step.name) : releaseSavepoint(transaction, step.name));
        if (!next) return { reply: missing(step.name, true) };
        return { reply: done(isBack ? "ROLLBACK" : "RELEASE"), transaction: next };
      }
    }
  }

  /** Commits the transaction, or nothing of it if it conflicts with what others have committed. */
  #commit(transaction: Transaction): Outcome {
    const reply: Reply = { kind: "done", tag: "COMMIT", changes: 0 };
    const next = after(transaction) ?? "none";
    if (transaction.statements.length === 0) return { reply, transaction: next };
    if (this.#given.data.isFull) return { reply: this.#failure("database or disk is full"), transaction: next };
    const problem = this.#replay();
    if (problem !== undefined) return { reply: this.#failure(problem), transaction: next };
    return { reply, lines: [this.#line(transaction.statements)], transaction: next };
  }

  #line(statements: readonly string[]): Line {
    return { sql: statements.join(";\n"), in: this.#context.database, atMs: this.#context.nowMs };
  }

  #failure(error: string): Reply {
    return this.#dialect.failure(error, this.#context);
  }

  #open(): Sql | undefined {
    if (!this.#opened) this.#replay();
    return this.#opened;
  }

  /** Replays the data and the session's transaction. Returns the error if the transaction fails on what is committed. */
  #replay(): string | undefined {
    const { process, data, server, request } = this.#given;
    this.#opened?.close();
    this.#opened = Sql.open(process);
    this.#opened?.run("pragma foreign_keys = on");
    for (const { sql, atMs } of data.statements(this.#context.database)) {
      process.clockMs = atMs;
      this.#opened?.run(sql);
    }
    process.clockMs = server.nowMs;
    for (const sql of request.transaction?.statements ?? []) {
      const result = this.#opened?.run(sql);
      if (result && "error" in result) return result.error;
    }
    return undefined;
  }
}
