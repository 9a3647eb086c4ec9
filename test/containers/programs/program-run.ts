// Runs a program on its own files, for tables of expected results.
import { type Edit, newFiles } from "../../../worker/containers/shell/files.ts";
import { trace, type Trace } from "../../../worker/containers/shell/trace.ts";
import { visitEdit } from "../../../worker/containers/wasm/visits.ts";

export const startMs = Date.UTC(2026, 0, 1);

export interface ProgramWorld {
  readonly files?: Readonly<Record<string, string>>;
  readonly environment?: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly image?: string;
  readonly memoryLimit?: number;
  readonly termMs?: number;
  /** The time for which the program is followed, in seconds. */
  readonly seconds?: number;
  readonly outside?: readonly Edit[];
}

export interface ProgramRun {
  readonly out: string;
  readonly err: string;
  /** Its exit code, or `runs`. */
  readonly exit: number | "runs" | "oom";
  readonly seconds: number | undefined;
  readonly run: Trace;
}

export function runProgram(words: readonly string[], world: ProgramWorld = {}): ProgramRun {
  const { files = {}, environment = {}, input, image = "", memoryLimit, termMs, seconds = 60, outside = [] } = world;
  const ownFiles = newFiles();
  for (const [path, text] of Object.entries(files)) ownFiles.set(path, { text, mode: 0o644, changedMs: startMs });
  const problems: unknown[] = [];
  const run = trace({
    words,
    startMs,
    untilMs: startMs + seconds * 1000,
    files: ownFiles,
    environment,
    unknown: "ends",
    policy: "fail",
    outside,
    host: "pod-1",
    self: {
      uid: 0,
      gid: 0,
      groups: [0],
      image,
      address: "10.244.0.5",
      running: [],
      isNetworkAdmin: false,
      isSystemAdmin: false,
      mayEscalate: true,
    },
    report: (error) => problems.push(error),
    ...(input === undefined ? {} : { input }),
    ...(memoryLimit === undefined ? {} : { memoryLimit }),
    ...(termMs === undefined ? {} : { termMs }),
  });
  // What is reported is a fault of the simulation, not of the program.
  if (problems.length > 0) throw problems[0];
  const text = (stream: "stdout" | "stderr") =>
    run.chunks.flatMap((chunk) => (chunk.stream === stream ? [chunk.text] : [])).join("");
  const exit = run.end === undefined ? "runs" : run.end.oom ? "oom" : run.end.exitCode;
  return { out: text("stdout"), err: text("stderr"), exit, seconds: run.end && (run.end.atMs - startMs) / 1000, run };
}

/** A visitor, so many seconds after the start. */
export function visitor(
  second: number,
  path: string,
  more: { readonly method?: string; readonly body?: string; readonly port?: number } = {},
): Edit {
  const { method = "GET", body = "", port = 8080 } = more;
  const headers = [
    ["Host", "pod-1"],
    ["Content-Type", "application/json"],
  ] as const;
  const edit = visitEdit({ id: `visit-${second}`, method, path, headers, body, port, from: "10.244.0.9" });
  return { atMs: startMs + second * 1000, ...edit };
}

/** Statuses and bodies, in the order of the visits. */
export function answers({ run }: ProgramRun): readonly (readonly [status: number, body: string])[] {
  return [...(run.answers ?? new Map()).values()].map(({ status, body }) => [status, body]);
}
