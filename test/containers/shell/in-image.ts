// Runs a command as it would run in an image, on files of its own.
import { installedIn } from "../../../worker/containers/run/image-programs.ts";
import { parseImage } from "../../../worker/containers/images/reference.ts";
import { imageFiles } from "../../../worker/containers/images/image-files.ts";
import { newFiles } from "../../../worker/containers/shell/files.ts";
import { nobodyKnown, type Self } from "../../../worker/containers/shell/process.ts";
import { type Start, trace } from "../../../worker/containers/shell/trace.ts";

export const startMs = Date.UTC(2026, 0, 1);

export interface Given
  extends Partial<Pick<Start, "world" | "ports" | "policy" | "beside" | "interactive" | "work" | "memoryLimit">> {
  readonly files?: Readonly<Record<string, string>>;
  readonly input?: Start["input"];
  readonly self?: Partial<Self>;
  readonly environment?: Readonly<Record<string, string>>;
}

export function inImage(image: string, words: readonly string[], world: Given = {}) {
  const { files = {}, self = {}, environment = {}, input, ...more } = world;
  const reference = parseImage(image);
  if ("error" in reference) throw new Error(reference.error);
  const imageAndOwnFiles = newFiles();
  for (const [path, text] of Object.entries({ ...imageFiles(reference), ...files })) {
    imageAndOwnFiles.set(path, { text, mode: 0o755, changedMs: startMs });
  }
  const problems: unknown[] = [];
  const isOfficial = reference.name.startsWith("docker.io/library/");
  const run = trace({
    words,
    startMs,
    untilMs: startMs + 3_600_000,
    files: imageAndOwnFiles,
    environment: { PATH: "/usr/bin:/bin", HOME: "/root", ...environment },
    programs: isOfficial ? installedIn(reference)?.names : undefined,
    knowsFiles: isOfficial,
    unknown: "ends",
    policy: "fail",
    host: "pod-1",
    self: { ...nobodyKnown, image, address: "10.244.0.5", ...self },
    report: (error) => problems.push(error),
    ...(input === undefined ? {} : { input }),
    ...more,
  });
  // What is reported is a fault of the simulation, not of the program.
  if (problems.length > 0) throw problems[0];
  const exit = run.end === undefined ? "runs" : run.end.exitCode;
  return { all: run.chunks.map((chunk) => chunk.text).join(""), exit, run };
}
