// Runs the fuzzer in a thread of its own, and stops the thread if one input never ends.
import { Worker } from "node:worker_threads";

export interface FuzzOptions {
  readonly seed: number;
  /** 1: a run of `npm test`; more: as many times the inputs. */
  readonly scale: number;
  /** The names of the targets; all targets if it is empty. */
  readonly names?: readonly string[];
  /** A target is left after so many kinds of faults. */
  readonly mostFaults?: number;
  /** The module that exports the targets. */
  readonly targets?: URL;
  /** An input that runs for longer hangs. */
  readonly hangMs?: number;
  /** Receives the report of each finished target. */
  report?(report: FuzzReport): void;
}

export interface FuzzOrder {
  readonly seed: number;
  readonly scale: number;
  readonly names: readonly string[];
  readonly mostFaults: number;
  /** The address of the module that exports the targets. */
  readonly targets: string;
  /** The number of inputs that have begun, the length of the current one, and its text. */
  readonly current: SharedArrayBuffer;
}

export interface Fault {
  readonly target: string;
  readonly input: string;
  readonly fault: string;
}

export interface FuzzReport {
  readonly target: string;
  readonly runs: number;
  readonly faults: readonly Fault[];
  readonly ms: number;
  readonly slowest: { readonly ms: number; readonly input: string };
}

const mostInputBytes = 512 * 1024;
/** The slowest inputs take a fiftieth of this on a busy machine. */
const defaultHangMs = 60_000;

/** Resolves with a report for each target; an input that hangs, or that ends the thread, is the last fault. */
export function fuzz(options: FuzzOptions): Promise<readonly FuzzReport[]> {
  const { seed, scale, names = [], mostFaults = 3, hangMs = defaultHangMs, report } = options;
  const { href } = options.targets ?? new URL("targets.ts", import.meta.url);
  const current = new SharedArrayBuffer(8 + mostInputBytes);
  const header = new Int32Array(current, 0, 2);
  const order: FuzzOrder = { seed, scale, names, mostFaults, current, targets: href };
  const reports: FuzzReport[] = [];
  return new Promise((resolve) => {
    const worker = new Worker(new URL("worker.ts", import.meta.url), { workerData: order, execArgv: [] });
    let before = -1;
    const end = (fault?: string) => {
      clearInterval(watchdog);
      if (fault !== undefined) reports.push(reportOf(current, fault));
      void worker.terminate().then(() => resolve(reports));
    };
    const watchdog = setInterval(() => {
      const begun = Atomics.load(header, 0);
      // The thread still reads its modules as long as no input has begun.
      if (begun === before && begun > 0) end(`hangs for more than ${hangMs / 1000} seconds`);
      before = begun;
    }, hangMs);
    worker.on("message", (fuzzReport: FuzzReport) => {
      reports.push(fuzzReport);
      report?.(fuzzReport);
    });
    worker.on("error", (error) => end(`ends the thread: ${String(error)}`));
    worker.on("exit", () => end());
  });
}

/** Reports the input that was running. */
function reportOf(current: SharedArrayBuffer, fault: string): FuzzReport {
  const length = new Int32Array(current, 0, 2)[1] ?? 0;
  const text = new TextDecoder().decode(Uint8Array.from(new Uint8Array(current, 8, length)));
  // The thread wrote both.
  const [target, input] = text === "" ? ["", ""] : (JSON.parse(text) as [string, string]);
  return { target, runs: 0, faults: [{ target, input, fault }], ms: 0, slowest: { ms: 0, input } };
}
