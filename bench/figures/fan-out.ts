// One change to a thousand watchers in JSON, protobuf and as Tables, a third of them each.
import { inParallel } from "../http.ts";
import { processorSeconds } from "../processor.ts";
import { makeSandbox } from "../sandbox.ts";
import type { Bench } from "../service.ts";
import { median, percentile } from "../statistics.ts";
import { type Figure, atMost } from "../table.ts";
import { type Watch, watch, type WatchForm } from "../watch.ts";

const watchers = 1000;
const changes = 30;
const forms: readonly WatchForm[] = ["json", "protobuf", "table"];
const mostMs = 60;
const path = "/api/v1/namespaces/default/configmaps";

export async function fanOut(bench: Bench): Promise<Figure[]> {
  const sandbox = await makeSandbox(bench);
  const watches: Watch[] = [];
  const times: number[] = [];
  const processor: number[] = [];
  let startMs = 0;
  let seen = 0;
  let all = Promise.withResolvers<void>();
  const arrived = () => {
    times.push(performance.now() - startMs);
    if (++seen === watchers) all.resolve();
  };
  await inParallel(8, watchers, async (index) =>
    watches.push(await watch(sandbox, path, arrived, forms[index % forms.length])),
  );
  for (let change = 0; change < changes; change++) {
    seen = 0;
    all = Promise.withResolvers();
    const startSeconds = processorSeconds();
    startMs = performance.now();
    await sandbox.post(path, { metadata: { name: `change-${change}` }, data: { key: "value" } });
    await all.promise;
    processor.push((processorSeconds() - startSeconds) * 1000);
  }
  for (const one of watches) one.end();
  sandbox.agent.destroy();
  // The first changes find nothing compiled.
  const p99 = percentile(times.slice(watchers * 5), 0.99);
  const what = "a change to 1,000 watchers in three forms, p99";
  return [
    { what, value: p99, unit: "ms", bar: atMost(p99, mostMs, "ms") },
    { what: "  processor time of one change", value: median(processor.slice(5)), unit: "ms" },
  ];
}
