// The heap that an idle sandbox of ten pods takes.
import { heapGauge, nudged } from "../heap.ts";
import { deployment, makeSandbox, type Sandbox } from "../sandbox.ts";
import type { Bench } from "../service.ts";
import { atMost, type Figure } from "../table.ts";

const sandboxes = 40;
const pods = 10;
const mostMB = 0.5;

export async function liveSandboxes(bench: Bench): Promise<Figure[]> {
  const gauge = await heapGauge(bench);
  // Memory that all sandboxes share, such as compiled code, is allocated by the first ones.
  const first = await live(bench);
  const shared = await Promise.all(Array.from({ length: sandboxes }, () => live(bench)));
  const before = await nudged(first, gauge.settled());
  const more = await Promise.all(Array.from({ length: sandboxes }, () => live(bench)));
  const each = ((await nudged(first, gauge.settled())) - before) / sandboxes / 1e6;
  gauge.end();
  for (const { agent } of [first, ...shared, ...more]) agent.destroy();
  return [{ what: "heap of a live sandbox of ten pods", value: each, unit: "MB", bar: atMost(each, mostMB, "MB") }];
}

async function live(bench: Bench): Promise<Sandbox> {
  const sandbox = await makeSandbox(bench);
  await sandbox.post("/apis/apps/v1/namespaces/default/deployments", deployment("web", pods));
  for (;;) {
    const answer = JSON.parse(await sandbox.get("/apis/apps/v1/namespaces/default/deployments/web")) as {
      status: { availableReplicas?: number };
    };
    if (answer.status.availableReplicas === pods) return sandbox;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
