// A thousand pods that are created at once, until each is assigned to one of a thousand nodes.
import { deployment, makeSandbox } from "../sandbox.ts";
import type { Bench } from "../service.ts";
import { type Figure, atMost } from "../table.ts";
import { watch } from "../watch.ts";

const nodes = 1000;
const pods = 1000;

export async function scheduling(bench: Bench): Promise<Figure[]> {
  const sandbox = await makeSandbox(bench, { nodes });
  const bound = new Set<string>();
  const all = Promise.withResolvers<void>();
  const watching = await watch(sandbox, "/api/v1/namespaces/default/pods", (text) => {
    if (!text.includes('"nodeName":"')) return;
    bound.add(/"metadata":\{"name":"([^"]+)"/.exec(text)?.[1] ?? "");
    if (bound.size === pods) all.resolve();
  });
  const startMs = performance.now();
  await sandbox.post("/apis/apps/v1/namespaces/default/deployments", deployment("many", pods));
  await all.promise;
  const seconds = (performance.now() - startMs) / 1000;
  watching.end();
  sandbox.agent.destroy();
  return [{ what: "1,000 pods scheduled on 1,000 nodes", value: seconds, unit: "s", bar: atMost(seconds, 5, "s") }];
}
