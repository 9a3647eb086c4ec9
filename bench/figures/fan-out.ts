// A change sent to a thousand watchers, a third each in JSON, protobuf and as Tables, and the latency of gets meanwhile.
// `--watchers=5000` sets their number.
import { inParallel } from "../http.ts";
import { processorSeconds } from "../processor.ts";
import { repeatedGets } from "../repeated-gets.ts";
import { makeSandbox } from "../sandbox.ts";
import type { Bench } from "../service.ts";
import { median, percentile } from "../statistics.ts";
import { type Figure, atMost } from "../table.ts";
import { type Watch, watch, type WatchForm } from "../watch.ts";

const usualWatchers = 1000;
const changes = 30;
const forms: readonly WatchForm[] = ["json", "protobuf", "table"];
const mostMs = 60;
const mostGetMs = 50;
const path = "/api/v1/namespaces/default/configmaps";

export async function fanOut(bench: Bench, flags: ReadonlySet<string>): Promise<Figure[]> {
  const watchersText = [...flags].find((flag) => flag.startsWith("watchers="))?.slice("watchers=".length);
  const watchers = Number(watchersText ?? usualWatchers);
  const sandbox = await makeSandbox(bench);
  const watches: Watch[] = [];
  const times: number[] = [];
  const processor: number[] = [];
  let startMs = 0;
  let eventCount = 0;
  let all = Promise.withResolvers<void>();
  const arrived = () => {
    times.push(performance.now() - startMs);
    if (++eventCount === watchers) all.resolve();
  };
  await inParallel(8, watchers, async (index) =>
    watches.push(await watch(sandbox, path, arrived, forms[index % forms.length])),
  );
  const gets = repeatedGets(sandbox);
  for (let change = 0; change < changes; change++) {
    eventCount = 0;
    all = Promise.withResolvers();
    const startSeconds = processorSeconds();
    startMs = performance.now();
    await sandbox.post(path, { metadata: { name: `change-${change}` }, data: { key: "value" } });
    await all.promise;
    processor.push((processorSeconds() - startSeconds) * 1000);
  }
  const getTimes = await gets.end();
  for (const openWatch of watches) openWatch.end();
  sandbox.agent.destroy();
  // The first changes run code that is not compiled yet.
  const p99 = percentile(times.slice(watchers * 5), 0.99);
  const what = `a change to ${watchers} watchers in three forms, p99`;
  const getP99 = percentile(getTimes, 0.99);
  return [
    { what, value: p99, unit: "ms", ...(watchers === usualWatchers ? { bar: atMost(p99, mostMs, "ms") } : {}) },
    { what: "  a get meanwhile, p99", value: getP99, unit: "ms", bar: atMost(getP99, mostGetMs, "ms") },
    { what: "  processor time of one change", value: median(processor.slice(5)), unit: "ms" },
  ];
}
