// Log files that services of a node write, such as the API server's audit log. A log is a list of chunks; past a bound the oldest are dropped.
import { limits } from "../../../shared/base/limits.ts";
import type { Edit } from "../../containers/shell/files.ts";
import type { Sql } from "../../store/sql.ts";
import { deleteMeta, metaRows, writeMeta } from "../../store/tables.ts";

/** The prefix of the rows that have the chunks. */
export const nodeLogPrefix = "nodelog:";
/** The size at which a chunk ends. Each new line rewrites its chunk. */
const chunkCharacters = 16_000;

export interface LogLine {
  readonly atMs: number;
  readonly path: string;
  readonly text: string;
}

interface Chunk {
  readonly key: string;
  readonly lines: LogLine[];
  characters: number;
}

export class NodeLogs {
  readonly #sql: Sql;
  /** The chunks of nodes that were read, oldest first. */
  readonly #chunks = new Map<string, Chunk[]>();

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  append(node: string, lines: readonly LogLine[]): void {
    const chunks = this.#of(node);
    const changed = new Set<Chunk>();
    for (const line of lines) {
      let last = chunks.at(-1);
      if (!last || last.characters >= chunkCharacters) {
        last = { key: nextKey(node, last), lines: [], characters: 0 };
        chunks.push(last);
      }
      last.lines.push(line);
      last.characters += line.text.length;
      changed.add(last);
    }
    for (const chunk of changed) this.#write(chunk);
    let characters = chunks.reduce((sum, chunk) => sum + chunk.characters, 0);
    while (characters > limits.nodeLogCharacters && chunks.length > 1) {
      const oldest = chunks.shift();
      characters -= oldest?.characters ?? 0;
      if (oldest) deleteMeta(this.#sql, oldest.key);
    }
  }

  #write({ key, lines }: Chunk): void {
    writeMeta(this.#sql, key, JSON.stringify(lines));
  }

  /** Returns the edits of a node's files in the order of time, with the lines of its logs among them. */
  among(node: string, edits: readonly Edit[]): readonly Edit[] {
    const lines = this.#of(node).flatMap((chunk) => chunk.lines);
    if (lines.length === 0) return edits;
    const all: Edit[] = [];
    let at = 0;
    const appendUntil = (untilMs: number) => {
      while (at < lines.length) {
        const { path = "", atMs = 0 } = lines[at] ?? {};
        if (atMs > untilMs) return;
        const texts: string[] = [];
        let lastMs = atMs;
        for (let line = lines[at]; line?.path === path && line.atMs <= untilMs; line = lines[++at]) {
          texts.push(line.text);
          lastMs = line.atMs;
        }
        all.push({ atMs: lastMs, path, text: texts.join(""), appends: true, mode: 0o600 });
      }
    };
    for (const edit of edits) {
      appendUntil(edit.atMs);
      all.push(edit);
    }
    appendUntil(Number.POSITIVE_INFINITY);
    return all;
  }

  forget(node: string): void {
    for (const { key } of this.#of(node)) deleteMeta(this.#sql, key);
    this.#chunks.delete(node);
  }

  #of(node: string): Chunk[] {
    const loaded = this.#chunks.get(node);
    if (loaded) return loaded;
    const chunks = metaRows(this.#sql, `${nodeLogPrefix}${node}/`).map(({ key, value }) => {
      // `#write` wrote it.
      const lines = JSON.parse(value) as LogLine[];
      return { key, lines, characters: lines.reduce((sum, { text }) => sum + text.length, 0) };
    });
    this.#chunks.set(node, chunks);
    return chunks;
  }
}

function nextKey(node: string, last: Chunk | undefined): string {
  const number = last ? Number(last.key.slice(last.key.lastIndexOf("/") + 1)) + 1 : 0;
  return `${nodeLogPrefix}${node}/${String(number).padStart(10, "0")}`;
}
