// A Deployment of three pods from its creation to Available, observed by a watch, and the rows that it writes.
import { type Sandbox, deployment, makeSandbox } from "../sandbox.ts";
import type { Bench } from "../service.ts";
import { percentile } from "../statistics.ts";
import { type Figure, atMost } from "../table.ts";
import { until } from "../watch.ts";

const rounds = 20;
const path = "/apis/apps/v1/namespaces/default/deployments";

export async function rollout(bench: Bench): Promise<Figure[]> {
  const sandbox = await makeSandbox(bench);
  await waitUntilIdle(sandbox);
  const times: number[] = [];
  const rows: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const name = `web-${round}`;
    const before = await sandbox.written();
    const available = await until(
      sandbox,
      path,
      ({ object }) => object.metadata.name === name && object.status?.availableReplicas === 3,
    );
    const startMs = performance.now();
    await sandbox.post(path, deployment(name, 3));
    times.push((await available.at) - startMs);
    // Rows that the work queue writes afterwards are counted too.
    await new Promise((resolve) => setTimeout(resolve, 200));
    const after = await sandbox.written();
    rows.push(after.rows - before.rows + after.alarms - before.alarms);
  }
  sandbox.agent.destroy();
  const [p50, maxRows] = [percentile(times, 0.5), percentile(rows, 1)];
  return [
    { what: "Deployment of 3 to Available, by watch", value: p50, unit: "ms", bar: atMost(p50, 400, "ms") },
    { what: "rows and alarms written for it", value: maxRows, unit: "rows", bar: atMost(maxRows, 100, "rows") },
  ];
}

/** Waits until a new cluster's own Deployments are done, so that their pods are not counted. */
export async function waitUntilIdle(sandbox: Sandbox): Promise<void> {
  for (let before = -1; ; ) {
    const { rows } = await sandbox.written();
    if (rows === before) return;
    before = rows;
    await new Promise((resolve) => setTimeout(resolve, 1500));
  }
}
