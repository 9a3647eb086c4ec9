// The thread in which inputs are run, so that one that never ends can be stopped from outside.
import { parentPort, workerData } from "node:worker_threads";
import { seededRandom } from "../../shared/base/random.ts";
import type { Fault, FuzzOrder, FuzzReport } from "./run.ts";
import { inputFor } from "./mutate.ts";
import type { Target } from "./target.ts";

// The thread that starts this one hands it over.
const { seed, scale, names, current, mostFaults, targets: address } = workerData as FuzzOrder;
// The module is one of the tests' own.
const { targets } = (await import(address)) as { readonly targets: readonly Target[] };
/** Inputs for each unit of a target's share at scale 1: all targets together take less than a minute. */
const inputsOfShare = 0.3;
const encoder = new TextEncoder();
const header = new Int32Array(current, 0, 2);
const bytes = new Uint8Array(current, 8);

/** Announces the running input to the watchdog. */
function announce(target: Target, input: string): void {
  const { written } = encoder.encodeInto(JSON.stringify([target.name, input]), bytes);
  header[1] = written;
  Atomics.add(header, 0, 1);
}

async function faultOf(target: Target, input: string): Promise<string | undefined> {
  announce(target, input);
  try {
    await target.run(input);
    return undefined;
  } catch (error) {
    const errorText =
      error instanceof Error ? `${error.constructor.name}: ${error.message}\n${error.stack ?? ""}` : String(error);
    return errorText.slice(0, 2000);
  }
}

/** Returns the text that identifies a fault while its input is reduced. */
function kindOf(fault: string): string {
  return fault.slice(0, 40).replaceAll(/\d+/g, "0");
}

/** A smaller input with the same fault. */
async function shrunk(target: Target, input: string, fault: string): Promise<string> {
  let best = input;
  let tries = 300;
  for (let size = Math.ceil(best.length / 2); size >= 1 && tries > 0; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < best.length && tries > 0; tries--) {
      const smaller = best.slice(0, at) + best.slice(at + size);
      const again = await faultOf(target, smaller);
      if (again !== undefined && kindOf(again) === kindOf(fault)) best = smaller;
      else at += size;
    }
  }
  return best;
}

async function fuzz(target: Target, at: number): Promise<FuzzReport> {
  const count = Math.max(1, Math.round((target.share ?? 1000) * inputsOfShare * scale));
  const random = seededRandom(seed * 1_000_003 + at);
  const faults = new Map<string, Fault>();
  let slowest = { ms: 0, input: "" };
  const startMs = performance.now();
  let runs = 0;
  for (; runs < count && faults.size < mostFaults; runs++) {
    const input = inputFor(target, random);
    const beganMs = performance.now();
    const fault = await faultOf(target, input);
    const ms = performance.now() - beganMs;
    if (ms > slowest.ms) slowest = { ms, input };
    if (fault === undefined || faults.has(kindOf(fault))) continue;
    faults.set(kindOf(fault), { target: target.name, input: await shrunk(target, input, fault), fault });
  }
  return { target: target.name, runs, faults: [...faults.values()], ms: performance.now() - startMs, slowest };
}

for (const [at, target] of targets.entries()) {
  if (names.length > 0 && !names.includes(target.name)) continue;
  parentPort?.postMessage(await fuzz(target, at));
}
