// Attacks a service as a hostile tenant with generated scripts, patterns, bodies, patches and manifests that are made to explode. All the
// time an object of another tenant's sandbox is read. SANDBAR_HOSTILE_CASES is the number of cases, SANDBAR_HOSTILE_SEED their seed.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { diceOf } from "../../simulation/dice.ts";
import { eventually } from "../kubectl.ts";
import { newSandbox } from "../sandbox.ts";
import { freePorts, startService } from "../service.ts";
import { type Send, caseOf, podOf, shellPod } from "./cases.ts";
import { watchMachine, watchMemory, watchNeighbour } from "./measure.ts";
import { hostileTenant } from "./tenant.ts";
import type { Get } from "./watcher.ts";
import { dataOfManyKeys, manyKeys } from "./wide.ts";

const count = Number(process.env.SANDBAR_HOSTILE_CASES ?? "150");
const seed = Number(process.env.SANDBAR_HOSTILE_SEED ?? "2");
/** The first case: those before it are left out. */
const from = Number(process.env.SANDBAR_HOSTILE_FROM ?? "0");
/** Cases that run at once. */
const together = Number(process.env.SANDBAR_HOSTILE_TOGETHER ?? "2");
/** Containers start at once, so that more of their work is measured. */
const environment = { SANDBAR_KUBELET_DELAYS: "zero" };
/** Bounds on a machine at rest: on a slower or busier one, `p99Ms` and `readyMs` are as many times longer. */
const bounds = { p99Ms: together > 2 ? 500 : 250, memoryMiB: 768, readyMs: 10_000 };
/** The time of one case on a busy machine. */
const caseMs = 2_000;

const data = mkdtempSync(join(tmpdir(), "sandbar-hostile-"));
afterAll(() => rmSync(data, { recursive: true, force: true }));

test(
  `H1: ${count} hostile cases (seed ${seed}) delay no other sandbox, exhaust no memory, and leave a service that restarts`,
  async () => {
    const ports = await freePorts();
    const service = await startService({ data, ports, environment });
    const memory = watchMemory(service);
    const hostile = await newSandbox({ name: "hostile" }, service.address);
    const innocent = await newSandbox({ name: "innocent" }, service.address);
    const tenant = hostileTenant(hostile);
    await tenant.send(
      "POST",
      "/api/v1/namespaces/default/pods",
      podOf(shellPod, ["sleep", "1000000"]),
      "application/json",
    );
    await tenant.send(
      "POST",
      "/api/v1/namespaces/default/configmaps",
      JSON.stringify({ metadata: { name: manyKeys }, data: dataOfManyKeys }),
      "application/json",
    );
    const machine = watchMachine(data);
    const neighbour = watchNeighbour(innocent, 20);
    const ran = await runCases(tenant.send);
    const { gets, failures, at } = await neighbour();
    const { slowness, text: ofMachine } = await machine();
    const p99Ms = Math.round(bounds.p99Ms * slowness);
    const memoryMiB = memory();
    console.log(
      `${count} cases: ${gets.length} gets, p50 ${at(0.5)} ms, p99 ${at(0.99)} of ${p99Ms} ms, longest ${at(1)} ms; at most ${memoryMiB} MiB; ${ofMachine}; ` +
        `answers ${[...tenant.statuses]
          .sort(([a], [b]) => a - b)
          .map(([status, times]) => `${status}: ${times}`)
          .join(", ")}`,
    );
    for (const line of slowest(gets, ran, p99Ms)) console.log(line);
    await service.kill();
    const beganMs = Date.now();
    const again = await startService({ data, ports, environment });
    const readyMs = Date.now() - beganMs;
    try {
      expect(tenant.complaints).toEqual([]);
      expect(failures).toEqual([]);
      expect(at(0.99)).toBeLessThan(p99Ms);
      expect(memoryMiB).toBeLessThan(bounds.memoryMiB);
      expect(readyMs).toBeLessThan(bounds.readyMs * slowness);
      for (const sandbox of [innocent, hostile]) {
        await eventually(
          () => `${sandbox.name} answers after the restart`,
          async () => (await sandbox.fetch("/api/v1/namespaces/default")).status === 200,
        );
      }
    } finally {
      await again.stop();
    }
  },
  120_000 + count * caseMs,
);

interface Ran {
  readonly title: string;
  readonly beganMs: number;
  readonly endedMs: number;
}

/** Returns the slowest requests, with the cases that ran meanwhile. */
function slowest(gets: readonly Get[], ran: readonly Ran[], thanMs: number): string[] {
  const long = gets.filter(({ tookMs }) => tookMs > thanMs).sort((a, b) => b.tookMs - a.tookMs);
  const newStalls: Get[] = [];
  for (const get of long) {
    // Those that wait together wait for the same.
    if (newStalls.length < 10 && newStalls.every(({ beganMs }) => Math.abs(beganMs - get.beganMs) > 3_000))
      newStalls.push(get);
  }
  return newStalls.map(({ beganMs, tookMs }) => {
    const meanwhile = ran.filter((finished) => finished.beganMs <= beganMs + tookMs && finished.endedMs >= beganMs);
    return `${Math.round(tookMs)} ms during: ${meanwhile.map(({ title }) => title).join(" | ")}`;
  });
}

async function runCases(send: Send): Promise<Ran[]> {
  const ran: Ran[] = [];
  let next = from;
  const runNext = async () => {
    while (next < count) {
      const at = next++;
      const hostileCase = caseOf(diceOf(seed * 1_000_003 + at), at);
      if (process.env.SANDBAR_HOSTILE_VERBOSE) console.log(`${at}: ${hostileCase.title}`);
      const beganMs = Date.now();
      await hostileCase.run(send);
      ran.push({ title: `${at} ${hostileCase.title}`, beganMs, endedMs: Date.now() });
    }
  };
  await Promise.all(Array.from({ length: together }, runNext));
  return ran;
}
