// The time axis: reads of a past moment, why an object waits, a simulated week, and what being remembered costs a write.
import { systemClock } from "../../shared/base/clock.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { nodeSql } from "../../test/sqlite.ts";
import { newCluster } from "../../test/cluster.ts";
import { configMaps as maps } from "../../worker/kinds/core/config-map.ts";
import { causeText } from "../../worker/store/cause.ts";
import { Store } from "../../worker/store/store.ts";
import { createTables } from "../../worker/store/tables.ts";
import { expect, inParallel } from "../http.ts";
import { processorSeconds } from "../processor.ts";
import { deployment, makeSandbox, type Sandbox } from "../sandbox.ts";
import type { Bench } from "../service.ts";
import { median } from "../statistics.ts";
import { type Figure, atMost } from "../table.ts";

const objects = 1000;
const rounds = 20;
const configMaps = "/api/v1/namespaces/default/configmaps";
const batch = "/apis/batch/v1/namespaces/default/cronjobs";
const apps = "/apis/apps/v1/namespaces/default/deployments";
const weekMs = 7 * 24 * 3_600_000;

export async function timeAxis(bench: Bench): Promise<Figure[]> {
  return [...remembered(), ...(await past(bench)), ...(await week(bench))];
}

/** Reads of a cluster of 1,000 objects, all of which have changed since. */
async function past(bench: Bench): Promise<Figure[]> {
  const sandbox = await makeSandbox(bench);
  const map = (index: number, value: string) => ({ metadata: { name: `map-${index}` }, data: { value } });
  let revision = "";
  await inParallel(8, objects, async (index) => {
    const text = await sandbox.post(configMaps, map(index, "before"));
    revision = /"resourceVersion":"(\d+)"/.exec(text)?.[1] ?? revision;
  });
  await inParallel(8, objects, (index) => put(sandbox, `${configMaps}/map-${index}`, map(index, "after")));
  const web = deployment("web", 3);
  const [container] = web.spec.template.spec.containers;
  Object.assign(container ?? {}, { resources: { requests: { cpu: "500" } } });
  await sandbox.post(apps, web);
  await sandbox.post("/api/v1/namespaces", { metadata: { name: "ending" } });
  const held = { metadata: { name: "held", finalizers: ["example.com/held"] } };
  await sandbox.post("/api/v1/namespaces/ending/configmaps", held);
  await sandbox.delete("/api/v1/namespaces/ending");
  await new Promise((resolve) => setTimeout(resolve, 2000));
  const pods = JSON.parse(await sandbox.get("/api/v1/namespaces/default/pods")) as { items: readonly KubeObject[] };
  const pod = pods.items[0]?.metadata.name ?? "";
  const why = (path: string) =>
    processorMs(() =>
      expect(200, sandbox.agent, `${bench.sandbar}/v1/sandboxes/${sandbox.id}/why/${path}`, { token: bench.key }),
    );
  const figures: Figure[] = [];
  const add = (what: string, value: number, limit: number) =>
    figures.push({ what, value, unit: "ms of processor", bar: atMost(value, limit, "ms") });
  const nowMs = await processorMs(() => sandbox.get(configMaps));
  figures.push({ what: "list of 1,000 objects as of now", value: nowMs, unit: "ms of processor" });
  add(
    "list of 1,000 objects ?at= before all changed",
    await processorMs(() => sandbox.get(`${configMaps}?at=${revision}`)),
    50,
  );
  add("why pod, among 1,000 objects", await why(`pod/${pod}`), 20);
  add("why deployment, among 1,000 objects", await why("deployment/web"), 20);
  add("why namespace, among 1,000 objects", await why("namespace/ending"), 20);
  sandbox.agent.destroy();
  return figures;
}

function put({ agent, url, token }: Sandbox, path: string, object: unknown): Promise<string> {
  return expect(200, agent, url + path, { method: "PUT", token, body: JSON.stringify(object) });
}

/** Returns the median processor time of a request, with that of the connection and the edge. */
async function processorMs(ask: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const before = processorSeconds();
    await ask();
    times.push((processorSeconds() - before) * 1000);
  }
  return median(times);
}

/** A week of 20 CronJobs, each every six hours, and 50 Deployments. */
async function week(bench: Bench): Promise<Figure[]> {
  const sandbox = await makeSandbox(bench);
  const jobTemplate = {
    spec: {
      template: {
        spec: {
          restartPolicy: "Never",
          containers: [{ name: "main", image: "busybox", command: ["sh", "-c", "sleep 5"] }],
        },
      },
    },
  };
  await inParallel(8, 50, (index) => sandbox.post(apps, deployment(`web-${index}`, 2)));
  await inParallel(8, 20, (index) =>
    sandbox.post(batch, {
      metadata: { name: `cron-${index}` },
      spec: { schedule: `${index * 3} */6 * * *`, jobTemplate },
    }),
  );
  await new Promise((resolve) => setTimeout(resolve, 2000));
  const [startMs, before] = [performance.now(), processorSeconds()];
  let [simulatedMs, completed] = [0, 0];
  while (simulatedMs < weekMs) {
    const text = await expect(200, sandbox.agent, `${bench.sandbar}/v1/sandboxes/${sandbox.id}/clock`, {
      method: "PATCH",
      token: bench.key,
      body: JSON.stringify({ advance: `${Math.ceil((weekMs - simulatedMs) / 1000)}s`, limit: { real: "20s" } }),
    });
    const { run } = JSON.parse(text) as { run: { simulatedMs: number; events: Record<string, number> } };
    simulatedMs += run.simulatedMs;
    completed += run.events["Completed"] ?? 0;
  }
  const [seconds, processor] = [(performance.now() - startMs) / 1000, processorSeconds() - before];
  sandbox.agent.destroy();
  return [
    {
      what: `a week of 20 CronJobs and 50 Deployments: ${completed} jobs`,
      value: processor,
      unit: "s of processor",
      bar: atMost(processor, 30, "s"),
    },
    { what: "the same for one job", value: (processor * 1000) / completed, unit: "ms of processor" },
    { what: "the same by the wall clock", value: seconds, unit: "s" },
  ];
}

/** The cost and the rows of a cause, in this process: commits with a cause and with an empty one, beside a whole write of a controller. */
function remembered(): Figure[] {
  const cause = () =>
    causeText({ user: "kubernetes-admin", origin: "update", auditId: "5c9bd8a5-4d0b-4b43-8f3b-6a0a3c1cf4d0" });
  const [withCause, without] = [newCommits(cause), newCommits(() => "")];
  const write = newWrites();
  const shares: number[] = [];
  for (let round = 0; round < rounds; round++)
    shares.push((microsOf(withCause.commit) - microsOf(without.commit)) / microsOf(write));
  const share = median(shares) * 100;
  const rows = withCause.rows() - without.rows();
  return [
    { what: "a cause, of an update of a ConfigMap", value: share, unit: "%", bar: atMost(share, 3, "%") },
    { what: "rows that a cause adds to a write", value: rows, unit: "rows", bar: atMost(rows, 0, "rows") },
  ];
}

const commits = 2000;

function newCommits(cause: () => string) {
  const sql = nodeSql();
  createTables(sql);
  const store = new Store(sql, systemClock);
  const key = { resource: "configmaps", namespace: "default", name: "a" };
  let count = 0;
  const commit = () => {
    const metadata = { name: "a", namespace: "default", uid: "u" };
    const next = { apiVersion: "v1", kind: "ConfigMap", metadata, data: { value: String(count++) } } as KubeObject;
    store.commit({ key, next, index: { owners: [], indexValue: "" }, cause: cause() });
  };
  for (let at = 0; at < commits; at++) commit();
  const changesOf = () => Number(sql.all<{ count: number }>("SELECT total_changes() AS count")[0]?.count);
  return {
    commit,
    rows: () => {
      const before = changesOf();
      commit();
      return changesOf() - before;
    },
  };
}

/** Returns a function that updates a ConfigMap as a controller does. */
function newWrites(): () => void {
  const { client } = newCluster({ nodes: 0, controllers: [] });
  let current = client.create(maps, { metadata: { name: "a", namespace: "default" } });
  let count = 0;
  return () => {
    current = client.update(maps, { ...current, data: { value: String(count++) } });
  };
}

function microsOf(act: () => void): number {
  const before = process.cpuUsage();
  for (let at = 0; at < commits; at++) act();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / commits;
}
