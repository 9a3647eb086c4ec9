// Takes a CPU profile of edge and object during a measurement: writes it to `dist`, for browsers, and returns it as lines.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../scripts/build.ts";
import { hottest, type Profile } from "./hottest.ts";
import { openInspector } from "./inspector.ts";
import type { Bench } from "./service.ts";

const lineCount = Number(process.env["SHOWN"] ?? 40);
const nudgeMs = 20;

interface Profiled<T> {
  readonly result: T;
  /** The functions in which the time was spent, the hottest first. */
  readonly lines: readonly string[];
}

/** Runs a function between the profiler's start and stop; `sampleMicros` is the time between two samples. */
export async function profiled<T>(
  bench: Bench,
  name: string,
  sampleMicros: number,
  body: () => T | Promise<T>,
): Promise<Profiled<T>> {
  const inspector = await openInspector(bench);
  // The inspector answers only while the isolate has work.
  const nudging = setInterval(() => void fetch(`${bench.sandbar}/c/none/version`).catch(() => undefined), nudgeMs);
  await inspector.call("Profiler.enable");
  await inspector.call("Profiler.setSamplingInterval", { interval: sampleMicros });
  await inspector.call("Profiler.start");
  clearInterval(nudging);
  const result = await body();
  const again = setInterval(() => void fetch(`${bench.sandbar}/c/none/version`).catch(() => undefined), nudgeMs);
  const { profile } = await inspector.call<{ readonly profile: Profile }>("Profiler.stop");
  clearInterval(again);
  inspector.end();
  mkdirSync(join(root, "dist"), { recursive: true });
  writeFileSync(join(root, `dist/${name}.cpuprofile`), JSON.stringify(profile));
  return { result, lines: hottest(profile, lineCount) };
}
