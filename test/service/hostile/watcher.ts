// A thread that asks an innocent sandbox for the same object again and again, and notes how long each answer took. In a thread of its
// own, so that what the test itself works out does not count.
import { parentPort, workerData } from "node:worker_threads";

export interface WatcherOptions {
  readonly url: string;
  readonly token: string;
  readonly everyMs: number;
}

export interface Get {
  /** The start of the request, by the clock that all threads share. */
  readonly beganMs: number;
  /** Infinity where it failed. */
  readonly tookMs: number;
}

export interface Watched {
  readonly gets: readonly Get[];
  /** Why gets failed. */
  readonly failures: readonly string[];
}

const { url, token, everyMs } = workerData as WatcherOptions; // hostile.test.ts gives it.
const gets: Get[] = [];
const failures: string[] = [];
const open = new Set<Promise<void>>();

async function ask(): Promise<void> {
  const beganMs = Date.now();
  const began = performance.now();
  try {
    const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
    await answer.text();
    if (answer.status !== 200) throw new Error(`answered ${answer.status}`);
    gets.push({ beganMs, tookMs: performance.now() - began });
  } catch (error) {
    gets.push({ beganMs, tookMs: Number.POSITIVE_INFINITY });
    failures.push(`${String(error)} after ${Math.round(performance.now() - began)} ms`);
  }
}

const timer = setInterval(() => {
  const pendingRequest = ask().finally(() => open.delete(pendingRequest));
  open.add(pendingRequest);
}, everyMs);

parentPort?.once("message", () => {
  clearInterval(timer);
  void Promise.all(open).then(() => parentPort?.postMessage({ gets, failures } satisfies Watched));
});
