// SQLite as WebAssembly, in memory only: statements in, rows out.
import type { Process } from "../shell/process.ts";
import { charge } from "../../../shared/shell/meter.ts";
import { Machine } from "./machine.ts";
import { interpreterModule } from "./modules.ts";
import { type WasmImports, type WasmModule, wasm } from "./webassembly.ts";

/** The short names that the package's build gives to functions (sql.js 1.16.0). */
const letters = {
  start: "P",
  malloc: "Ia",
  open: "Ha",
  prepare: "T",
  step: "U",
  finalize: "X",
  columnCount: "ra",
  columnName: "Y",
  columnType: "_",
  columnText: "Z",
  columnBytes: "ua",
  columnDouble: "va",
  changes: "Da",
  message: "$",
} as const;
const memoryExport = "O";
const [timeNow, growMemory, openFile, localTime] = ["d", "l", "x", "A"];

/** The work of starting SQLite. */
const startWork = 800;
/** The maximum size of one statement's result. */
const mostRows = 10_000;
const mostCharacters = 1_000_000;
const hasRow = 100;
const isDone = 101;

export type Cell = string | number | null;

export interface Rows {
  /** Empty for a statement without a result. */
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
  readonly changes: number;
}

export interface SqlError {
  /** SQLite's error message. */
  readonly error: string;
}

/** A database in memory. */
export class Sql {
  readonly #machine: Machine;
  readonly #process: Process;
  readonly #database: number;

  /** Opens a database; undefined if there is no interpreter. Like all methods, throws `Stopped` at the end of the process's budget. */
  static open(process: Process): Sql | undefined {
    const module = interpreterModule("sql");
    return module && new Sql(process, module);
  }

  private constructor(process: Process, module: WasmModule) {
    this.#process = process;
    charge(process, startWork);
    this.#machine = new Machine(process, module, this.#imports(module), { memory: memoryExport });
    this.#database = this.#machine.run(() => {
      this.#do("start");
      const into = this.#do("malloc", 4);
      this.#do("open", this.#put(":memory:").at, into);
      return this.#machine.view.getUint32(into, true);
    });
  }

  /** Releases the memory. The database cannot be used again. */
  close(): void {
    this.#machine.close();
  }

  /** Runs all statements of a text in order, up to the first that fails. */
  run(text: string): readonly Rows[] | SqlError {
    return this.#machine.run(() => {
      const { at, length } = this.#put(text);
      const into = this.#do("malloc", 8);
      const results: Rows[] = [];
      let from = at;
      while (from < at + length) {
        const code = this.#do("prepare", this.#database, from, at + length - from, into, into + 4);
        if (code !== 0) return { error: this.#problem() };
        const statement = this.#machine.view.getUint32(into, true);
        from = this.#machine.view.getUint32(into + 4, true);
        if (statement === 0) continue;
        const rows = this.#rows(statement);
        const problem = "error" in rows ? this.#problem() : undefined;
        this.#do("finalize", statement);
        if (problem !== undefined || "error" in rows) return { error: problem ?? "" };
        results.push(rows);
      }
      return results;
    });
  }

  #rows(statement: number): Rows | SqlError {
    const count = this.#do("columnCount", statement);
    const columns = Array.from({ length: count }, (_, at) =>
      this.#machine.textAt(this.#do("columnName", statement, at)),
    );
    const rows: Cell[][] = [];
    let characters = 0;
    for (;;) {
      const code = this.#do("step", statement);
      if (code === isDone) break;
      if (code !== hasRow) return { error: "" };
      const row = columns.map((_, at) => this.#cell(statement, at));
      for (const cell of row) characters += typeof cell === "string" ? cell.length : 8;
      if (rows.length >= mostRows || characters > mostCharacters) break;
      rows.push(row);
    }
    return { columns, rows, changes: this.#do("changes", this.#database) };
  }

  #cell(statement: number, at: number): Cell {
    const type = this.#do("columnType", statement, at);
    if (type === 5) return null;
    if (type === 1 || type === 2) {
      const value = this.#do("columnDouble", statement, at);
      if (type === 2 || Number.isSafeInteger(value)) return value;
    }
    const text = this.#do("columnText", statement, at);
    return this.#machine.text(text, this.#do("columnBytes", statement, at));
  }

  #problem(): string {
    return this.#machine.textAt(this.#do("message", this.#database));
  }

  #imports(module: WasmModule): WasmImports {
    const hostFunctions: Record<string, (...callArguments: number[]) => unknown> = {
      [timeNow ?? ""]: () => this.#process.clockMs,
      [growMemory ?? ""]: (bytes = 0) => this.#machine.host(() => this.#machine.grow(bytes >>> 0)),
      // There are no files.
      [openFile ?? ""]: () => -2,
      [localTime ?? ""]: () => 1,
    };
    const imports: Record<string, unknown> = {};
    for (const { name } of wasm.Module.imports(module)) imports[name] = hostFunctions[name] ?? (() => 0);
    return { a: imports };
  }

  #put(text: string): { readonly at: number; readonly length: number } {
    return this.#machine.put(text, (bytes) => this.#do("malloc", bytes));
  }

  #do(name: keyof typeof letters, ...callArguments: number[]): number {
    return this.#machine.functions[letters[name]]?.(...callArguments) ?? 0;
  }
}
