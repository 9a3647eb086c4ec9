// A thread that does a fixed piece of work again and again, as a turn does: it computes, and has something written to disk. How long that
// takes tells how slow the machine is, and how busy with others, while a service is measured.
import { closeSync, fsyncSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { parentPort, workerData } from "node:worker_threads";

export interface ReferenceOptions {
  /** The folder of the disk that the service writes to. */
  readonly folder: string;
  readonly everyMs: number;
}

const { folder, everyMs } = workerData as ReferenceOptions; // measure.ts gives it.
const path = join(folder, "reference");
const page = Buffer.alloc(4096, 1);
const file = openSync(path, "w");
const tookMs: number[] = [];

const items = Array.from({ length: 2_000 }, (_, at) => ({ name: `item-${at}`, labels: { app: `a${at % 7}` }, at }));

function compute(): number {
  let characters = 0;
  for (let round = 0; round < 8; round++) {
    const text = JSON.stringify(items);
    const parsed = JSON.parse(text) as typeof items;
    characters += text.length + parsed.sort((a, b) => (a.labels.app < b.labels.app ? -1 : 1)).length;
  }
  return characters;
}

// Compiled first.
for (let round = 0; round < 20; round++) compute();

const timer = setInterval(() => {
  const began = performance.now();
  compute();
  writeSync(file, page, 0, page.length, 0);
  fsyncSync(file);
  tookMs.push(performance.now() - began);
}, everyMs);

parentPort?.once("message", () => {
  clearInterval(timer);
  closeSync(file);
  rmSync(path);
  parentPort?.postMessage(tookMs);
});
