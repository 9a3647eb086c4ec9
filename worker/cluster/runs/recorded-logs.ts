// Records the logs of runs that depend on other containers, so that output that was read once never changes with the state of the cluster.
// A log is a list of segments. Past a bound the oldest are dropped, as a kubelet drops rotated files.
import { limits } from "../../../shared/base/limits.ts";
import type { RecordedLog } from "../../containers/cri.ts";
import type { Chunk } from "../../containers/shell/process.ts";
import type { Sql } from "../../store/sql.ts";
import { deleteMeta, metaCharacters, metaRows, writeMeta } from "../../store/tables.ts";

export const logPrefix = "runlog:";

type StoredChunk = readonly [atMs: number, stream: "o" | "e", text: string];

interface Log {
  untilMs: number;
  /** The number of the first segment. */
  first: number;
  /** The segments in their stored form. */
  readonly segments: StoredChunk[][];
  /** The number of characters of the last segment. */
  lastCharacters: number;
  /** The decoded log; undefined after a change. */
  chunks: readonly Chunk[] | undefined;
}

export class RecordedLogs {
  readonly #sql: Sql;
  /** The logs by the name of their run. */
  #logs: Map<string, Log> | undefined;
  /** The runs whose logs exceeded the bound. */
  readonly #unrecorded = new Set<string>();
  #onChange: (run: string) => void = () => undefined;
  /** The number of characters of all logs, counted at the first write. */
  #characters: number | undefined;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Receives the name of each run whose log grows or is forgotten. There is one listener. */
  onChange(listener: (run: string) => void): void {
    this.#onChange = listener;
  }

  of(run: string): RecordedLog | undefined {
    const log = this.#load().get(run);
    if (!log) return undefined;
    log.chunks ??= log.segments.flatMap((segment) => segment.map(chunkOf));
    return { untilMs: log.untilMs, chunks: log.chunks };
  }

  /**
   * Adds what a run printed after the moment up to which its log is recorded. At the sandbox's bound of recorded characters, the log is deleted
   * and readers follow the run instead.
   */
  add(run: string, chunks: readonly Chunk[], untilMs: number): void {
    if (this.#unrecorded.has(run)) return;
    const existing = this.#load().get(run);
    const log = existing ?? {
      untilMs: Number.NEGATIVE_INFINITY,
      first: 0,
      segments: [],
      lastCharacters: 0,
      chunks: undefined,
    };
    this.#load().set(run, log);
    const added = chunks.filter(({ atMs }) => atMs > log.untilMs && atMs <= untilMs);
    // A moment without output is stored with the next write.
    log.untilMs = Math.max(log.untilMs, untilMs);
    if (added.length === 0) return;
    this.#characters ??= metaCharacters(this.#sql, logPrefix);
    if (this.#characters > limits.recordedLogCharacters) {
      this.forget(run);
      this.#unrecorded.add(run);
      return;
    }
    log.chunks = undefined;
    for (const chunk of added) this.#append(run, log, chunk);
    this.#write(run, log, log.segments.length - 1);
    while (log.segments.length > limits.recordedLogSegments) this.#dropFirst(run, log);
    this.#onChange(run);
  }

  /** Deletes the logs of the runs whose names begin with a prefix. */
  forget(prefix: string): void {
    for (const run of this.#unrecorded) if (run.startsWith(prefix)) this.#unrecorded.delete(run);
    for (const [run, log] of this.#load()) {
      if (!run.startsWith(prefix)) continue;
      while (log.segments.length > 0) this.#dropFirst(run, log);
      this.#load().delete(run);
      this.#onChange(run);
    }
  }

  /** Deletes all but the newest logs of the runs whose names begin with a prefix. */
  keepNewest(prefix: string, count: number): void {
    const runs = [...this.#load().keys()].filter((run) => run.startsWith(prefix));
    for (const run of runs.slice(0, Math.max(0, runs.length - count))) this.forget(run);
  }

  #append(run: string, log: Log, { atMs, stream, text }: Chunk): void {
    const characters = text.length + 24;
    if (log.segments.length === 0 || log.lastCharacters + characters > limits.recordedLogSegmentCharacters) {
      if (log.segments.length > 0) this.#write(run, log, log.segments.length - 1);
      log.segments.push([]);
      log.lastCharacters = 0;
    }
    log.segments.at(-1)?.push([atMs, stream === "stdout" ? "o" : "e", text]);
    log.lastCharacters += characters;
    this.#characters = (this.#characters ?? 0) + characters;
  }

  #write(run: string, { untilMs, first, segments }: Log, at: number): void {
    writeMeta(this.#sql, keyOf(run, first + at), JSON.stringify({ untilMs, chunks: segments[at] }));
  }

  #dropFirst(run: string, log: Log): void {
    deleteMeta(this.#sql, keyOf(run, log.first));
    log.segments.shift();
    log.first += 1;
    log.chunks = undefined;
    this.#characters = undefined;
  }

  #load(): Map<string, Log> {
    if (this.#logs) return this.#logs;
    this.#logs = new Map();
    for (const { key, value } of metaRows(this.#sql, logPrefix)) {
      const at = key.lastIndexOf(":");
      const run = key.slice(logPrefix.length, at);
      // `#write` wrote it, and keys are in the order of segments.
      const { untilMs, chunks } = JSON.parse(value) as { untilMs: number; chunks: StoredChunk[] };
      const log = this.#logs.get(run) ?? {
        untilMs,
        first: Number(key.slice(at + 1)),
        segments: [],
        lastCharacters: 0,
        chunks: undefined,
      };
      log.segments.push(chunks);
      log.untilMs = Math.max(log.untilMs, untilMs);
      log.lastCharacters = chunks.reduce((sum, [, , text]) => sum + text.length + 24, 0);
      this.#logs.set(run, log);
    }
    return this.#logs;
  }
}

function chunkOf([atMs, stream, text]: StoredChunk): Chunk {
  return { atMs, stream: stream === "o" ? "stdout" : "stderr", text };
}

/** Returns the key of a segment. Its number has a fixed width, so that keys sort in the order of segments. */
function keyOf(run: string, segment: number): string {
  return `${logPrefix}${run}:${String(segment).padStart(9, "0")}`;
}
