// 5,000 nodes and 10,000 pods in one sandbox: how long they take to come and to go, what memory it takes, and whether the API
// answers meanwhile.
import { type HeapGauge, heapGauge } from "../heap.ts";
import { connections, expect, inParallel } from "../http.ts";
import { type Sandbox, makeSandbox, pod } from "../sandbox.ts";
import type { Bench } from "../service.ts";
import { percentile } from "../statistics.ts";
import { type Figure, atMost } from "../table.ts";
import { type WatchLine, watch } from "../watch.ts";

const nodes = 5000;
const pods = 10_000;
const sockets = 8;
const getPauseMs = 20;
const megabyte = 1024 * 1024;
const nodePath = "/api/v1/nodes";
const podPath = "/api/v1/namespaces/default/pods";

export async function large(bench: Bench): Promise<Figure[]> {
  const sandbox = await makeSandbox(bench, { nodes: 0 });
  const gauge = await heapGauge(bench);
  try {
    const node = (index: number) =>
      sandbox.post(nodePath, { metadata: { name: `n-${index}`, annotations: { "sandbar.dev/simulated": "true" } } });
    const isUp = ({ type, object }: WatchLine) =>
      type === "MODIFIED" && object.status !== undefined && "nodeInfo" in object.status;
    const nodesUp = await phase(
      sandbox,
      gauge,
      { path: nodePath, count: nodes, what: "5,000 nodes Ready", seconds: 60 },
      node,
      isUp,
    );
    const podsUp = await phase(
      sandbox,
      gauge,
      { path: podPath, count: pods, what: "10,000 pods Running", seconds: 60 },
      (index) => sandbox.post(podPath, pod(`p-${index}`)),
      ({ object }) => object.status?.phase === "Running",
    );
    const podsGone = await phase(
      sandbox,
      gauge,
      { path: podPath, count: pods, what: "10,000 pods deleted", seconds: 90 },
      (index) => sandbox.delete(`${podPath}/p-${index}`),
      ({ type }) => type === "DELETED",
    );
    const nodesGone = await phase(
      sandbox,
      gauge,
      { path: nodePath, count: nodes, what: "5,000 nodes deleted", seconds: 90 },
      (index) => sandbox.delete(`${nodePath}/n-${index}`),
      ({ type }) => type === "DELETED",
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
  isDone: (event: WatchLine) => boolean,
): Promise<Figure[]> {
  const done = new Set<string>();
  const all = Promise.withResolvers<void>();
  const watching = await watch(sandbox, path, (text) => {
    // An event of the watch.
    const event = JSON.parse(text) as WatchLine;
    if (isDone(event)) done.add(event.object.metadata.name);
    if (done.size === count) all.resolve();
  });
  gauge.peak();
  const gets: number[] = [];
  let over = false;
  const startMs = performance.now();
  const getting = getRepeatedly(sandbox, gets, () => over);
  await inParallel(sockets, count, write);
  await all.promise;
  const seconds = (performance.now() - startMs) / 1000;
  over = true;
  await getting;
  watching.end();
  const heap = gauge.peak() / megabyte;
  const settled = (await gauge.settled()) / megabyte;
  const p99 = percentile(gets, 0.99);
  const { rows } = await sandbox.written();
  console.log(
    `${what}: ${seconds.toFixed(1)} s, heap ${heap.toFixed(0)} MB (${settled.toFixed(0)} MB in use), get p99 ${p99.toFixed(0)} ms, ${rows} rows so far`,
  );
  return [
    { what, value: seconds, unit: "s", bar: atMost(seconds, limit, "s") },
    { what: "  heap meanwhile, peak", value: heap, unit: "MB", bar: atMost(heap, 128, "MB") },
    { what: "  a get meanwhile, p99", value: p99, unit: "ms", bar: atMost(p99, 250, "ms") },
  ];
}

async function getRepeatedly(sandbox: Sandbox, times: number[], isOver: () => boolean): Promise<void> {
  // A connection of its own: it must not wait for the writers'.
  const agent = connections(1);
  while (!isOver()) {
    const startMs = performance.now();
    await expect(200, agent, `${sandbox.url}/api/v1/namespaces/default`, sandbox);
    times.push(performance.now() - startMs);
    await new Promise((resolve) => setTimeout(resolve, getPauseMs));
  }
  agent.destroy();
}
