// `node bench/processes.ts [clusters] [rounds]`: many clusters at once, in one process and in one for each core, alternating, on this machine.
// Each cluster rolls out a Deployment, scales it, and deletes it.
import { availableParallelism } from "node:os";
import { sandboxWithToken, type SandboxWithToken } from "../shared/contract/sandbox.ts";
import { median } from "./statistics.ts";
import { type OwnService, startService } from "./versus/clusters.ts";

const [clusters = 200, rounds = 3] = process.argv.slice(2).map(Number);
/** The clusters that are worked on at the same time. */
const atOnce = 20;
const replicas = 5;
const deployments = "/apis/apps/v1/namespaces/default/deployments";

/** Returns the clusters a second that were created and driven. */
async function measure(processes: number): Promise<number> {
  const service = await startService({ SANDBAR_PROCESSES: String(processes), SANDBAR_SKIP_BUILD: "1" });
  try {
    // Each process has served a sandbox before, so that the figure has no start of a process.
    for (let at = 0; at < processes; at++) await drive(service);
    const startedMs = performance.now();
    let left = clusters;
    const work = async () => {
      while (left-- > 0) await drive(service);
    };
    await Promise.all(Array.from({ length: atOnce }, work));
    return (clusters * 1000) / (performance.now() - startedMs);
  } finally {
    await service.stop();
  }
}

async function drive({ base, headers }: OwnService): Promise<void> {
  const answer = await fetch(`${base}/v1/sandboxes`, { method: "POST", headers, body: JSON.stringify({ nodes: 3 }) });
  const sandbox = sandboxWithToken.parse(await answer.json());
  const labels = { app: "web" };
  const template = { metadata: { labels }, spec: { containers: [{ name: "web", image: "nginx" }] } };
  const spec = { replicas, selector: { matchLabels: labels }, template };
  await send(base, sandbox, "POST", deployments, { metadata: { name: "web" }, spec });
  await untilReady(base, sandbox, replicas);
  await send(base, sandbox, "PATCH", `${deployments}/web`, { spec: { replicas: 2 * replicas } });
  await untilReady(base, sandbox, 2 * replicas);
  await send(base, sandbox, "DELETE", `${deployments}/web`);
}

/** Waits by a watch, which costs less than asking again and again. */
async function untilReady(base: string, sandbox: SandboxWithToken, count: number): Promise<void> {
  const response = await send(base, sandbox, "GET", `${deployments}?watch=true&timeoutSeconds=60`);
  let pending = "";
  for await (const chunk of response.body ?? []) {
    pending += Buffer.from(chunk).toString();
    const lines = pending.split("\n");
    pending = lines.pop() ?? "";
    // The API's own shape.
    const events = lines.map((line) => JSON.parse(line) as { object: { status?: { availableReplicas?: number } } });
    if (events.some(({ object }) => object.status?.availableReplicas === count)) return;
  }
  throw new Error(`the Deployment of ${sandbox.id} is not ready`);
}

async function send(base: string, { id, token }: SandboxWithToken, method: string, path: string, body?: object) {
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  const response = await fetch(`${base}/c/${id}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": type },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status}: ${await response.text()}`);
  return response;
}

const counts = [1, availableParallelism()];
const measured = new Map<number, number[]>();
for (let round = 0; round < rounds; round++)
  for (const processes of counts)
    measured.set(processes, [...(measured.get(processes) ?? []), await measure(processes)]);
const [single = Number.NaN, all = Number.NaN] = counts.map((processes) => median(measured.get(processes) ?? []));
for (const [processes, values] of measured)
  console.log(`${processes} processes: ${values.map((value) => value.toFixed(1)).join(", ")} clusters a second`);
console.log(`ratio ${(all / single).toFixed(2)} on ${counts[1]} cores (bar ${(0.8 * (counts[1] ?? 1)).toFixed(1)})`);
