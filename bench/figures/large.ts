// 5,000 nodes and 10,000 pods in one sandbox: the time to create and delete them, the memory, and the latency of the API meanwhile.
// `--nodes=500 --pods=1000` sets their numbers.
import { type HeapGauge, heapGauge, nudged } from "../heap.ts";
import { inParallel } from "../http.ts";
import { processorSeconds } from "../processor.ts";
import { repeatedGets } from "../repeated-gets.ts";
import { type Sandbox, makeSandbox, pod } from "../sandbox.ts";
import type { Bench } from "../service.ts";
import { percentile } from "../statistics.ts";
import { type Figure, atMost } from "../table.ts";
import { watch } from "../watch.ts";

const usualNodes = 5000;
const usualPods = 10_000;
const sockets = 8;
const megabyte = 1024 * 1024;
const nodePath = "/api/v1/nodes";
/** The name is the first field of the metadata. */
const nameShape = /"metadata":\{"name":"([^"]+)"/;
const podPath = "/api/v1/namespaces/default/pods";

export async function large(bench: Bench, flags: ReadonlySet<string>): Promise<Figure[]> {
  const valueOf = (name: string) => [...flags].find((flag) => flag.startsWith(`${name}=`))?.slice(name.length + 1);
  const [nodes, pods] = [Number(valueOf("nodes") ?? usualNodes), Number(valueOf("pods") ?? usualPods)];
  // Like a sandbox that is created with so many nodes. The DaemonSets of a small one would run two more pods on each node.
  const sandbox = await makeSandbox(bench, { nodes: 0, systemPods: false });
  const gauge = await heapGauge(bench);
  try {
    const node = (index: number) =>
      sandbox.post(nodePath, { metadata: { name: `n-${index}`, annotations: { "sandbar.dev/simulated": "true" } } });
    const nodesUp = await phase(
      sandbox,
      gauge,
      { path: nodePath, count: nodes, what: `${nodes} nodes Ready`, seconds: 10 },
      node,
      '"nodeInfo":{"machineID":"',
    );
    const podsUp = await phase(
      sandbox,
      gauge,
      { path: podPath, count: pods, what: `${pods} pods Running`, seconds: 20 },
      (index) => sandbox.post(podPath, pod(`p-${index}`)),
      '"phase":"Running"',
    );
    const podsGone = await phase(
      sandbox,
      gauge,
      { path: podPath, count: pods, what: `${pods} pods deleted`, seconds: 10 },
      (index) => sandbox.delete(`${podPath}/p-${index}`),
      '{"type":"DELETED"',
    );
    const nodesGone = await phase(
      sandbox,
      gauge,
      { path: nodePath, count: nodes, what: `${nodes} nodes deleted`, seconds: 10 },
      (index) => sandbox.delete(`${nodePath}/n-${index}`),
      '{"type":"DELETED"',
    );
    return [...nodesUp, ...podsUp, ...podsGone, ...nodesGone];
  } finally {
    gauge.end();
    sandbox.agent.destroy();
  }
}

interface Phase {
  readonly path: string;
  readonly count: number;
  readonly what: string;
  readonly seconds: number;
}

async function phase(
  sandbox: Sandbox,
  gauge: HeapGauge,
  { path, count, what, seconds: limit }: Phase,
  write: (index: number) => Promise<unknown>,
  mark: string,
): Promise<Figure[]> {
  const done = new Set<string>();
  const all = Promise.withResolvers<void>();
  const watching = await watch(sandbox, path, (text) => {
    // Parsing every event would keep this process so busy that its own delays would be measured.
    if (text.includes(mark)) done.add(nameShape.exec(text)?.[1] ?? "");
    if (done.size === count) all.resolve();
  });
  gauge.peak();
  const startMs = performance.now();
  const startProcessor = processorSeconds();
  const getting = repeatedGets(sandbox);
  await inParallel(sockets, count, write);
  await all.promise;
  const seconds = (performance.now() - startMs) / 1000;
  const processor = processorSeconds() - startProcessor;
  const gets = await getting.end();
  watching.end();
  const { rows } = await sandbox.written();
  const heap = gauge.peak() / megabyte;
  const settled = (await nudged(sandbox, gauge.settled())) / megabyte;
  const p99 = percentile(gets, 0.99);
  console.log(
    `${what}: ${seconds.toFixed(1)} s (${processor.toFixed(1)} s of processor time), heap ${heap.toFixed(0)} MB (${settled.toFixed(0)} MB in use), get p99 ${p99.toFixed(0)} ms, ${rows} rows so far`,
  );
  return [
    { what, value: seconds, unit: "s", bar: atMost(seconds, limit, "s") },
    { what: "  heap meanwhile, peak", value: heap, unit: "MB", bar: atMost(heap, 128, "MB") },
    { what: "  a get meanwhile, p99", value: p99, unit: "ms", bar: atMost(p99, 50, "ms") },
  ];
}
