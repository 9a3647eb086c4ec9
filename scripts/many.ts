// Creates many sandboxes on one service, with a number of them live at once: `SANDBAR_MANY=10000 npm run many`, against SANDBAR_URL with
// SANDBAR_API_KEY. Exits with 1 if a limit is missed. SANDBAR_MANY_LIVE (500) is the number of live sandboxes; SANDBAR_MANY_PIDS lists
// processes whose memory is printed.
import { readFileSync } from "node:fs";
import { Sandbar } from "../client/index.ts";

/** The limits: milliseconds of the slowest hundredth, creations per second, and milliseconds to delete all. */
const bars = { p99Ms: 500, perSecond: 8, deletionMs: 300_000 };
const window = 1_000;
const deletersAtOnce = 8;

const count = wholeNumber("SANDBAR_MANY", 0);
const live = wholeNumber("SANDBAR_MANY_LIVE", 500);
const pids = (process.env.SANDBAR_MANY_PIDS ?? "").split(",").filter(Boolean);
if (count === 0) {
  console.error("say how many: SANDBAR_MANY=10000");
  process.exit(2);
}

const client = new Sandbar();
const label = { many: `run-${Date.now()}` };
const liveIds: string[] = [];
const times: number[] = [];
let isGood = true;

const beganMs = performance.now();
for (let at = 1; at <= count; at++) {
  const startedMs = performance.now();
  const { id } = await client.createSandbox({ labels: label, ttlSeconds: 6 * 3600 });
  times.push(performance.now() - startedMs);
  liveIds.push(id);
  // Deletions are not part of the measured time.
  while (liveIds.length > live) await client.deleteSandbox(liveIds.shift() ?? "");
  if (at % window === 0 || at === count) tell(at, times.splice(0));
}
const seconds = (performance.now() - beganMs) / 1000;
const rate = count / seconds;
check(
  rate >= bars.perSecond,
  `${count} in ${seconds.toFixed(0)} s with the deletions among them: ${rate.toFixed(1)} a second`,
);

const deletingMs = performance.now();
await Promise.all(
  Array.from({ length: deletersAtOnce }, async () => {
    for (let id = liveIds.pop(); id !== undefined; id = liveIds.pop()) await client.deleteSandbox(id);
  }),
);
const deletedMs = performance.now() - deletingMs;
check(deletedMs <= bars.deletionMs, `the rest deleted in ${(deletedMs / 1000).toFixed(1)} s`);
const left = (await client.listSandboxes({ labels: label })).sandboxes.length;
check(left === 0, `${left} are left`);
process.exitCode = isGood ? 0 : 1;

function tell(at: number, some: readonly number[]): void {
  const sorted = [...some].sort((a, b) => a - b);
  const quantile = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  const [middle, slowest] = [quantile(0.5), quantile(0.99)];
  const memory = pids.map((pid) => `${pid}: ${memoryOf(pid)} MB`).join(", ");
  check(
    slowest <= bars.p99Ms,
    `up to ${at}: p50 ${middle.toFixed(0)} ms, p99 ${slowest.toFixed(0)} ms${memory ? `; ${memory}` : ""}`,
  );
}

function check(isMet: boolean, line: string): void {
  isGood &&= isMet;
  console.log(`${isMet ? "ok" : "MISSED"}  ${line}`);
}

/** Returns the resident memory in megabytes. */
function memoryOf(pid: string): number {
  const [, kilobytes = "0"] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Math.round(Number(kilobytes) / 1024);
}

function wholeNumber(name: string, usual: number): number {
  const text = process.env[name] ?? "";
  return /^\d+$/.test(text) ? Number(text) : usual;
}
