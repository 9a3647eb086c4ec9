// The time from POST /v1/sandboxes to the first answered list of nodes.
import { makeSandbox } from "../sandbox.ts";
import type { Bench } from "../service.ts";
import { percentile } from "../statistics.ts";
import { type Figure, atMost } from "../table.ts";

const warmUps = 5;
const sandboxes = 100;

export async function newSandbox(bench: Bench): Promise<Figure[]> {
  const times: number[] = [];
  let written = { rows: 0, alarms: 0, bytes: 0 };
  for (let index = -warmUps; index < sandboxes; index++) {
    const startMs = performance.now();
    const sandbox = await makeSandbox(bench);
    await sandbox.get("/api/v1/nodes");
    if (index >= 0) times.push(performance.now() - startMs);
    if (index === sandboxes - 1) {
      await settle();
      written = await sandbox.written();
    }
    await remove(bench, sandbox.id);
    sandbox.agent.destroy();
  }
  const [p50, p99] = [percentile(times, 0.5), percentile(times, 0.99)];
  return [
    { what: "new sandbox to its first answer, p50", value: p50, unit: "ms", bar: atMost(p50, 15, "ms") },
    { what: "new sandbox to its first answer, p99", value: p99, unit: "ms", bar: atMost(p99, 300, "ms") },
    {
      what: "rows written for a new sandbox",
      value: written.rows,
      unit: "rows",
      bar: atMost(written.rows, 30, "rows"),
    },
    {
      what: "database of a new sandbox",
      value: written.bytes / 1000,
      unit: "KB",
      bar: atMost(written.bytes / 1000, 100, "KB"),
    },
    { what: "alarms set for a new sandbox", value: written.alarms, unit: "alarms" },
  ];
}

async function remove(bench: Bench, id: string): Promise<void> {
  await fetch(`${bench.sandbar}/v1/sandboxes/${id}`, {
    method: "DELETE",
    headers: { authorization: `Bearer ${bench.key}` },
  });
}

/** Waits until the controllers are idle. */
function settle(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1000));
}
