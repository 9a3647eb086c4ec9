// Memory that is given back, or not: after each round of creations and Deployments that come and go, what the process has (RSS) and what
// the heap of the isolate has in use; `--minutes=10` goes on for so long. A bare Worker that does as many writes is told beside it.
import { heapGauge, nudged } from "../heap.ts";
import { connections, expect, inParallel } from "../http.ts";
import { residentBytes } from "../processor.ts";
import { deployment, makeSandbox, type Sandbox } from "../sandbox.ts";
import type { Bench } from "../service.ts";
import { type Figure, atMost } from "../table.ts";

const lanes = 8;
const creations = 5000;
const deployments = 40;
const replicas = 3;
const rounds = 4;
const megabyte = 1024 * 1024;
/** Of one round upon the one before it, once all is warm. */
const mostGrowth = 1.1;
const configMaps = "/api/v1/namespaces/default/configmaps";
const deploymentsPath = "/apis/apps/v1/namespaces/default/deployments";
const data = { "config.yaml": "level: info\n".repeat(30) };

export async function memory(bench: Bench, flags: ReadonlySet<string>): Promise<Figure[]> {
  const minutes = Number([...flags].find((one) => one.startsWith("minutes="))?.slice("minutes=".length) ?? 0);
  const bare = await bareRounds(bench);
  const sandbox = await makeSandbox(bench);
  const gauge = await heapGauge(bench);
  const resident: number[] = [];
  let heap = 0;
  const endMs = performance.now() + minutes * 60_000;
  for (let round = 1; round <= rounds || performance.now() < endMs; round++) {
    await oneRound(sandbox, round);
    const settled = (await nudged(sandbox, gauge.settled())) / megabyte;
    heap = Math.max(heap, gauge.peak() / megabyte);
    resident.push(residentBytes() / megabyte);
    console.log(`round ${round}: RSS ${resident.at(-1)?.toFixed(0) ?? ""} MB, heap in use ${settled.toFixed(0)} MB`);
  }
  gauge.end();
  sandbox.agent.destroy();
  const last = resident.at(-1) ?? Number.NaN;
  const growth = last / (resident.at(Math.floor(resident.length / 2) - 1) ?? Number.NaN);
  return [
    { what: "RSS after 20,000 bare writes", value: bare, unit: "MB" },
    { what: `RSS after ${resident.length} rounds of 5,000 creations and 40 Deployments`, value: last, unit: "MB" },
    { what: "  of what it was at half of them", value: growth, unit: "", bar: atMost(growth, mostGrowth, "") },
    { what: "  heap meanwhile, peak", value: heap, unit: "MB", bar: atMost(heap, 128, "MB") },
  ];
}

async function bareRounds({ bare }: Bench): Promise<number> {
  const agent = connections(lanes);
  const body = JSON.stringify(data);
  await inParallel(lanes, rounds * creations, () => expect(201, agent, bare, { method: "POST", body }));
  agent.destroy();
  return residentBytes() / megabyte;
}

/** What is made is taken away again, so that only what is kept for nothing can grow. */
async function oneRound(sandbox: Sandbox, round: number): Promise<void> {
  const labels = { round: String(round) };
  await inParallel(lanes, creations, () =>
    sandbox.post(configMaps, { metadata: { generateName: "made-", labels }, data }),
  );
  const names = Array.from({ length: deployments }, (_, index) => `web-${round}-${index}`);
  for (const name of names) await sandbox.post(deploymentsPath, deployment(name, replicas));
  for (const name of names) await sandbox.delete(`${deploymentsPath}/${name}`);
  await sandbox.delete(`${configMaps}?labelSelector=round%3D${round}`);
}
