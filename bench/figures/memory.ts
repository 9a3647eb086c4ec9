// Memory that is released, or not: the resident memory of the process (RSS) and the used heap of the isolate, after each round of creations
// and Deployments. First a bare Worker does as many writes, which measures the memory of the runtime. With `--minutes=10` rounds go on for
// that time, each deleting what it has created.
import { heapGauge, type HeapGauge, nudged } from "../heap.ts";
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
/** The allowed growth from the middle round to the last. */
const mostGrowth = 1.1;
const mostHeap = 128;
const configMaps = "/api/v1/namespaces/default/configmaps";
const deploymentsPath = "/apis/apps/v1/namespaces/default/deployments";
const data = { "config.yaml": "level: info\n".repeat(30) };

export async function memory(bench: Bench, flags: ReadonlySet<string>): Promise<Figure[]> {
  const minutes = Number([...flags].find((flag) => flag.startsWith("minutes="))?.slice("minutes=".length) ?? 0);
  const bare = await bareRounds(bench);
  const sandbox = await makeSandbox(bench);
  const gauge = await heapGauge(bench);
  const roundMemory = await roundsOf(sandbox, gauge, (round) => round > rounds, "kept", makeRound);
  const figures = figuresOf("kept", roundMemory, gauge.peak() / megabyte);
  if (minutes > 0) {
    const endMs = performance.now() + minutes * 60_000;
    const soaked = await roundsOf(sandbox, gauge, () => performance.now() > endMs, "taken away", takeAwayRound);
    figures.push(...figuresOf("taken away again", soaked, gauge.peak() / megabyte));
  }
  gauge.end();
  sandbox.agent.destroy();
  return [{ what: "RSS after 20,000 bare writes", value: bare, unit: "MB" }, ...figures];
}

function figuresOf(what: string, resident: readonly number[], heap: number): Figure[] {
  const last = resident.at(-1) ?? Number.NaN;
  const growth = last / (resident.at(Math.ceil(resident.length / 2) - 1) ?? Number.NaN);
  return [
    { what: `RSS after ${resident.length} rounds of 5,000 creations, ${what}`, value: last, unit: "MB" },
    { what: "  of what it was at half of them", value: growth, unit: "", bar: atMost(growth, mostGrowth, "") },
    { what: "  heap meanwhile, peak", value: heap, unit: "MB", bar: atMost(heap, mostHeap, "MB") },
  ];
}

/** Returns megabytes after each round. */
async function roundsOf(
  sandbox: Sandbox,
  gauge: HeapGauge,
  isOver: (round: number) => boolean,
  what: string,
  runRound: (sandbox: Sandbox, label: string) => Promise<void>,
): Promise<number[]> {
  const resident: number[] = [];
  for (let round = 1; !isOver(round); round++) {
    await runRound(sandbox, `${what.replace(" ", "-")}-${round}`);
    const settled = (await nudged(sandbox, gauge.settled())) / megabyte;
    const now = residentBytes() / megabyte;
    console.log(`round ${round}, ${what}: RSS ${now.toFixed(0)} MB, heap in use ${settled.toFixed(0)} MB`);
    resident.push(now);
  }
  return resident;
}

async function bareRounds({ bare }: Bench): Promise<number> {
  const agent = connections(lanes);
  const body = JSON.stringify(data);
  console.log(`before: RSS ${(residentBytes() / megabyte).toFixed(0)} MB`);
  for (let round = 1; round <= rounds; round++) {
    await inParallel(lanes, creations, () => expect(201, agent, bare, { method: "POST", body }));
    console.log(`round ${round} of bare writes: RSS ${(residentBytes() / megabyte).toFixed(0)} MB`);
  }
  agent.destroy();
  return residentBytes() / megabyte;
}

async function makeRound(sandbox: Sandbox, label: string): Promise<void> {
  const metadata = { generateName: "made-", labels: { round: label } };
  await inParallel(lanes, creations, () => sandbox.post(configMaps, { metadata, data }));
  for (const name of namesOf(label)) await sandbox.post(deploymentsPath, deployment(name, replicas));
}

async function takeAwayRound(sandbox: Sandbox, label: string): Promise<void> {
  await makeRound(sandbox, label);
  for (const name of namesOf(label)) await sandbox.delete(`${deploymentsPath}/${name}`);
  await sandbox.delete(`${configMaps}?labelSelector=round%3D${label}`);
}

function namesOf(label: string): string[] {
  return Array.from({ length: deployments }, (_, index) => `web-${label}-${index}`);
}
