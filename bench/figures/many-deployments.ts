// A hundred Deployments of ten pods, created at once, until all are Ready.
import { inParallel } from "../http.ts";
import { deployment, makeSandbox } from "../sandbox.ts";
import type { Bench } from "../service.ts";
import { type Figure, atMost } from "../table.ts";
import { until } from "../watch.ts";

const deployments = 100;
const replicas = 10;
const path = "/apis/apps/v1/namespaces/default/deployments";

export async function manyDeployments(bench: Bench): Promise<Figure[]> {
  // A node has room for 110 pods.
  const sandbox = await makeSandbox(bench, { nodes: 12 });
  const before = await sandbox.written();
  const ready = new Set<string>();
  const readyWatch = await until(sandbox, path, ({ object }) => {
    if (object.status?.readyReplicas === replicas) ready.add(object.metadata.name);
    return ready.size === deployments;
  });
  const startMs = performance.now();
  await inParallel(8, deployments, (index) => sandbox.post(path, deployment(`many-${index}`, replicas)));
  const seconds = ((await readyWatch.at) - startMs) / 1000;
  const rows = (await sandbox.written()).rows - before.rows;
  sandbox.agent.destroy();
  return [
    { what: "100 Deployments of 10 to Ready", value: seconds, unit: "s", bar: atMost(seconds, 2.5, "s") },
    { what: "rows written for each of their pods", value: rows / (deployments * replicas), unit: "rows" },
  ];
}
