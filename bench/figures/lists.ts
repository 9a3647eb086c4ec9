// A list of 5,000 pods compared with the same bytes bare, and the heap while ten clients list 40 MB each.
import { heapGauge } from "../heap.ts";
import { connections, countBytes, inParallel } from "../http.ts";
import { type Sandbox, makeSandbox, pod } from "../sandbox.ts";
import type { Bench } from "../service.ts";
import { median } from "../statistics.ts";
import { type Figure, atLeastRatio, atMost } from "../table.ts";

const pods = 5000;
const rounds = 7;
const clients = 10;
const configMaps = 400;
const configMapBytes = 100_000;
const megabyte = 1024 * 1024;

export async function lists(bench: Bench): Promise<Figure[]> {
  return [...(await throughput(bench)), ...(await memory(bench))];
}

async function throughput(bench: Bench): Promise<Figure[]> {
  // Without nodes the pods never change, so that every round lists the same bytes.
  const sandbox = await makeSandbox(bench, { nodes: 0 });
  const path = "/api/v1/namespaces/default/pods";
  await inParallel(8, pods, (index) => sandbox.post(path, pod(`pod-${index}`, { app: "bench" })));
  const ours: number[] = [];
  const bare: number[] = [];
  let bytes = await countBytes(sandbox.agent, sandbox.url + path, sandbox);
  for (let round = 0; round < rounds; round++) {
    ours.push(await rate(() => countBytes(sandbox.agent, sandbox.url + path, sandbox)));
    bytes = await countBytes(sandbox.agent, sandbox.url + path, sandbox);
    bare.push(await rate(() => countBytes(sandbox.agent, `${bench.bare}/?bytes=${bytes}`)));
  }
  sandbox.agent.destroy();
  const ratio = median(ours.map((value, round) => value / (bare[round] ?? Number.NaN)));
  return [
    { what: `bare stream of ${(bytes / megabyte).toFixed(1)} MB`, value: median(bare), unit: "MB/s" },
    { what: "list of 5,000 pods", value: median(ours), unit: "MB/s", ratio, bar: atLeastRatio(ratio, 0.9) },
  ];
}

async function rate(read: () => Promise<number>): Promise<number> {
  const startMs = performance.now();
  const bytes = await read();
  return bytes / megabyte / ((performance.now() - startMs) / 1000);
}

async function memory(bench: Bench): Promise<Figure[]> {
  const sandbox = await makeSandbox(bench, { nodes: 0 });
  const path = "/api/v1/namespaces/default/configmaps";
  const data = { text: "0123456789".repeat(configMapBytes / 10) };
  await inParallel(4, configMaps, (index) => sandbox.post(path, { metadata: { name: `large-${index}` }, data }));
  const gauge = await heapGauge(bench);
  const startMs = performance.now();
  const agent = connections(clients);
  await inParallel(clients, clients, () => listOnce(sandbox, agent, path));
  const seconds = (performance.now() - startMs) / 1000;
  const peak = gauge.peak() / megabyte;
  gauge.end();
  agent.destroy();
  sandbox.agent.destroy();
  return [
    { what: "ten clients list 40 MB each at once", value: seconds, unit: "s" },
    { what: "heap meanwhile, peak", value: peak, unit: "MB", bar: atMost(peak, 128, "MB") },
  ];
}

async function listOnce(sandbox: Sandbox, agent: ReturnType<typeof connections>, path: string): Promise<void> {
  const bytes = await countBytes(agent, sandbox.url + path, sandbox);
  if (bytes < configMaps * configMapBytes) throw new Error(`the list had only ${bytes} bytes`);
}
