// The cache of containers' runs: sharing, dependencies and bounds.
import { describe, expect, test, vi } from "vitest";
import { limits } from "../../shared/base/limits.ts";
import { seededRandom } from "../../shared/base/random.ts";
import type { Container, Pod } from "../../shared/k8s/api/core-v1.ts";
import { openCluster } from "../../worker/cluster/cluster.ts";
import { allControllers } from "../../worker/cluster/controllers.ts";
import { kinds } from "../../worker/kinds/catalogue.ts";
import { events } from "../../worker/kinds/core/event/event.ts";
import { configMaps } from "../../worker/kinds/core/config-map.ts";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import { secrets } from "../../worker/kinds/core/secret.ts";
import { services } from "../../worker/kinds/core/service/service.ts";
import { RunCache } from "../../worker/cluster/runs/cache.ts";
import { DependencyIndex } from "../../worker/cluster/runs/read-tracking.ts";
import * as traces from "../../worker/containers/shell/trace.ts";
import { newCluster, type TestCluster } from "../cluster.ts";
import { drainCarefully } from "../runtime/careful-run.ts";
import { nodeSql } from "../sqlite.ts";
import { patiently } from "../patiently.ts";

const traced = vi.spyOn(traces.Run.prototype, "advance");

const sh = (script: string, more: Partial<Container> = {}): Container => ({
  name: "main",
  image: "busybox",
  command: ["sh", "-c", script],
  resources: {},
  ...more,
});

function clusterWith(container: Container, spec: Partial<Pod["spec"]> = {}): TestCluster {
  const cluster = newCluster();
  cluster.runUntilQuiet();
  cluster.apply(configMaps, { metadata: { name: "settings", namespace: "default" }, data: { word: "one" } });
  cluster.apply(secrets, { metadata: { name: "hidden", namespace: "default" }, data: { word: btoa("one") } });
  cluster.runUntilQuiet();
  cluster.apply(pods, { metadata: { name: "web", namespace: "default" }, spec: { ...spec, containers: [container] } });
  cluster.step(3000);
  return cluster;
}

const podOf = (cluster: TestCluster) => cluster.get(pods, "default", "web");

async function logOf(cluster: TestCluster, follows = false): Promise<string> {
  const printed = await cluster.containers.printed(podOf(cluster), "main", { previous: false, follows });
  return (printed?.lines ?? [])
    .slice(0, printed?.count)
    .map((line) => line.text)
    .join("\n");
}

/** How often a program was followed meanwhile. */
async function workings(body: () => Promise<unknown>): Promise<number> {
  const before = traced.mock.calls.length;
  await body();
  return traced.mock.calls.length - before;
}

describe("L1: shared runs", () => {
  test("L1: sixty readers of a log cause one run", async () => {
    const cluster = clusterWith(sh("for i in $(seq 1000); do echo line $i; done; sleep 3600"));
    const read = () => Promise.all(Array.from({ length: 60 }, () => logOf(cluster)));
    expect(await workings(read)).toBe(1);
    expect(new Set((await read()).map((text) => text.split("\n").length))).toEqual(new Set([1000]));
  });

  test("L1: the run of a container that still prints is computed again for a later moment", async () => {
    const cluster = clusterWith(sh("i=0; while true; do echo $i; i=$((i+1)); sleep 1; done"));
    expect(await logOf(cluster)).toBe("0\n1\n2\n3");
    cluster.clock.step(1000);
    expect(await logOf(cluster)).toBe("0\n1\n2\n3\n4");
  });

  test("L1: a follower's run is computed ahead, and shows the same lines as a run computed for each moment", async () => {
    const cluster = clusterWith(sh("i=0; while true; do echo $i; i=$((i+1)); sleep 1; done"));
    await logOf(cluster, true);
    for (let second = 0; second < 10; second++) {
      cluster.clock.step(1000);
      let ahead = "";
      expect(await workings(async () => (ahead = await logOf(cluster, true)))).toBe(0);
      expect(ahead).toBe(await logOf(cluster));
    }
  });

  test("L1: sixty connections to a port cause one run", async () => {
    const cluster = clusterWith(sh("sleep 3600"));
    const visit = { method: "GET", path: "/", headers: [], body: "" };
    const knock = () =>
      Promise.all(Array.from({ length: 60 }, () => cluster.containers.answer(podOf(cluster), 80, visit)));
    expect(await workings(knock)).toBe(1);
    expect(await workings(knock)).toBe(0);
  });
});

describe("L2: dependencies of a cached run", () => {
  const forever = "; sleep 3600";
  const mounted: Partial<Pod["spec"]> = {
    volumes: [
      { name: "settings", configMap: { name: "settings" } },
      { name: "hidden", secret: { secretName: "hidden" } },
    ],
  };
  const mounts = {
    volumeMounts: [
      { name: "settings", mountPath: "/settings" },
      { name: "hidden", mountPath: "/hidden" },
    ],
  };

  /** The log is the same as it would be without the cache, and another than before. */
  async function changes(cluster: TestCluster, change: () => void): Promise<void> {
    const before = await logOf(cluster, true);
    expect(await workings(() => logOf(cluster, true))).toBe(0);
    change();
    expect(await logOf(cluster, true)).not.toBe(before);
  }

  test("L2: a mounted ConfigMap or Secret invalidates it when the kubelet rewrites the files", async () => {
    const script = `cat /settings/word /hidden/word; echo; sleep 600; cat /settings/word /hidden/word; echo${forever}`;
    const cluster = clusterWith(sh(script, mounts), mounted);
    expect(await logOf(cluster, true)).toBe("oneone");
    cluster.edit(configMaps, "default", "settings", (configMap) => (configMap.data = { word: "two" }));
    cluster.clock.step(200_000);
    expect(await logOf(cluster, true)).toBe("oneone");
    cluster.edit(secrets, "default", "hidden", (secret) => (secret.data = { word: btoa("three") }));
    cluster.clock.step(400_000);
    expect(await logOf(cluster, true)).toBe("oneone\ntwothree");
  });

  test("L2: a variable keeps the value that it had at the start", async () => {
    const env = [{ name: "WORD", valueFrom: { configMapKeyRef: { name: "settings", key: "word" } } }];
    const cluster = clusterWith(sh(`echo $WORD; sleep 60; echo $WORD${forever}`, { env }));
    expect(await logOf(cluster, true)).toBe("one");
    cluster.edit(configMaps, "default", "settings", (configMap) => (configMap.data = { word: "two" }));
    cluster.clock.step(60_000);
    expect(await logOf(cluster, true)).toBe("one\none");
  });

  test("L2: a Service that is created or deleted invalidates it", async () => {
    const cluster = clusterWith(sh("while true; do nslookup late > /dev/null && echo found; sleep 1; done"));
    await changes(cluster, () => {
      const spec = { selector: { app: "late" }, ports: [{ port: 80 }] };
      cluster.apply(services, { metadata: { name: "late", namespace: "default" }, spec });
      cluster.clock.step(2000);
    });
  });

  test("L2: files that a user changes, and input that a user types, invalidate it", async () => {
    const cluster = clusterWith(sh("sleep 4; cat /tmp/word; read line; echo $line", { stdin: true }));
    const startMs = cluster.clock.nowMs();
    cluster.clock.step(2000);
    await changes(cluster, () => {
      cluster.containers.keep(podOf(cluster), "main", [{ atMs: startMs, path: "/tmp/word", text: "word\n" } as never]);
    });
    await changes(cluster, () => {
      const typed = [{ atMs: startMs + 100, text: "typed\n" }];
      cluster.containers.type(podOf(cluster), "main", startMs, { typed, hasEnded: false });
    });
  });

  test("L2: the pod itself invalidates it", async () => {
    const cluster = clusterWith(
      sh(`cat /info/labels; echo${forever}`, { volumeMounts: [{ name: "info", mountPath: "/info" }] }),
      {
        volumes: [
          { name: "info", downwardAPI: { items: [{ path: "labels", fieldRef: { fieldPath: "metadata.labels" } }] } },
        ],
      },
    );
    await changes(cluster, () => cluster.edit(pods, "default", "web", (pod) => (pod.metadata.labels = { a: "b" })));
  });

  test("L2: an unrelated object does not invalidate it", async () => {
    const cluster = clusterWith(sh(`cat /settings/word${forever}`, mounts), mounted);
    await logOf(cluster, true);
    cluster.apply(configMaps, { metadata: { name: "another", namespace: "default" }, data: {} });
    expect(await workings(() => logOf(cluster, true))).toBe(0);
  });

  test("L2: a change notifies the readers of the object, of its namespace, of its kind and of any object, and no others", () => {
    const lookers = new DependencyIndex();
    lookers.add("one", new Set(["pods/a/x"]));
    lookers.add("some", new Set(["pods/a"]));
    lookers.add("all", new Set(["pods"]));
    lookers.add("anything", new Set(["*"]));
    const of = (resource: string, namespace: string, name: string) =>
      [...lookers.ofChange({ resource, namespace, name } as Parameters<DependencyIndex["ofChange"]>[0])].sort();
    expect(of("pods", "a", "x")).toEqual(["all", "anything", "one", "some"]);
    expect(of("pods", "a", "y")).toEqual(["all", "anything", "some"]);
    expect(of("pods", "b", "x")).toEqual(["all", "anything"]);
    expect(of("nodes", "", "x")).toEqual(["anything"]);
    lookers.remove("one");
    expect(of("pods", "a", "x")).not.toContain("one");
  });
});

describe("L3: bounds of the run cache", () => {
  function cacheOver(sql = nodeSql(), onDisk = () => Promise.resolve()) {
    const cluster = newCluster({ sql });
    cluster.runUntilQuiet();
    const { clock } = cluster;
    const cache = new RunCache({
      sql,
      client: cluster.client,
      clock,
      onDisk,
      pause: () => Promise.resolve(),
      mustBeThere: () => undefined,
    });
    const pod = (name: string) =>
      cluster.client.get(pods, "default", name) ??
      cluster.apply(pods, { metadata: { name, namespace: "default" }, spec: { containers: [sh("true")] } });
    let worked = 0;
    const get = (name: string, bytes = 1) =>
      cache.get({
        pod: pod(name),
        container: "main",
        what: "test",
        isUsable: () => true,
        compute: () => ({ value: ++worked, bytes }),
      });
    return { cluster, cache, get, pod, worked: () => worked };
  }

  test("L3: the least recently used runs are evicted past the bound", async () => {
    const { get } = cacheOver();
    const third = Math.floor(limits.keptRunBytes / 3);
    for (const name of ["a", "b", "c"]) await get(name, third);
    expect((await get("a", third)).value).toBe(1);
    await get("d", third);
    expect((await get("a", third)).value).toBe(1);
    expect((await get("b", third)).value).toBe(5);
  });

  test("L3: a run that is larger than the whole bound is cached alone", async () => {
    const { get } = cacheOver();
    await get("a");
    await get("b", 2 * limits.keptRunBytes);
    expect((await get("b", 1)).value).toBe(2);
    expect((await get("a")).value).toBe(3);
  });

  test("L3: a container that killed the process during its run is refused with 503, reported, and retried later", async () => {
    const sql = nodeSql();
    // It dies when the intent is on disk.
    const { get, cluster } = cacheOver(sql, () => new Promise(() => undefined));
    void get("poison");
    await patiently(() => expect(sql.all("SELECT value FROM meta WHERE key = 'intent:run'")).toHaveLength(1));
    const next = cacheOverAgain(sql, cluster);
    await expect(next.get("poison")).rejects.toMatchObject({ code: 503, reason: "ServiceUnavailable" });
    expect(next.cache.setAside()?.place).toMatchObject({ name: "poison", container: "main" });
    await expect(next.get("poison")).rejects.toMatchObject({ code: 503, details: { retryAfterSeconds: 60 } });
    // Others are worked out.
    expect((await next.get("good")).value).toBe(1);
    cluster.clock.step(limits.setAsideFirstMs);
    expect((await next.get("poison")).value).toBe(2);
    expect(sql.all("SELECT key FROM meta WHERE key LIKE 'set-aside%' OR key LIKE 'intent%'")).toEqual([]);
  });

  test("L3: the pod of such a container reports it, and only its log is refused", async () => {
    const sql = nodeSql();
    const before = newCluster({ sql });
    before.runUntilQuiet();
    for (const name of ["web", "other"]) {
      before.apply(pods, {
        metadata: { name, namespace: "default" },
        spec: { containers: [sh("echo hi; sleep 3600")] },
      });
    }
    before.step(3000);
    const pod = podOf(before);
    // What the process had written when it died.
    sql.run("INSERT INTO meta (key, value) VALUES ('intent:run', ?)", `default/web/${pod.metadata.uid ?? ""}/main`);
    const { clock } = before;
    const report = (error: unknown) => {
      throw error;
    };
    const controllers = allControllers({ zeroDelays: true, caPem: "test" });
    const next = openCluster({ sql, clock, random: seededRandom(2), kinds, plugins: [], controllers, report });
    const read = (name: string) => {
      const currentPod = next.system.get(pods, "default", name);
      if (!currentPod) throw new Error(`${name} is gone`);
      return next.containers.printed(currentPod, "main", { previous: false, follows: false });
    };
    await expect(read("web")).rejects.toMatchObject({ code: 503, reason: "ServiceUnavailable" });
    expect((await read("other"))?.count).toBe(1);
    expect(next.runtime.isCareful()).toBe(true);
    drainCarefully(next);
    const outputEvents = next.system.list(events).filter(({ reason }) => reason === "OutputSetAside");
    expect(outputEvents.map(({ type, involvedObject: { name } }) => ({ type, name }))).toEqual([
      { type: "Warning", name: "web" },
    ]);
    clock.step(limits.setAsideFirstMs);
    expect((await read("web"))?.count).toBe(1);
  });

  function cacheOverAgain(sql: ReturnType<typeof nodeSql>, cluster: TestCluster) {
    const { clock, client } = cluster;
    const cache = new RunCache({
      sql,
      client,
      clock,
      onDisk: () => Promise.resolve(),
      pause: () => Promise.resolve(),
      mustBeThere: () => undefined,
    });
    let worked = 0;
    const get = (name: string) => {
      const pod =
        client.get(pods, "default", name) ??
        cluster.apply(pods, { metadata: { name, namespace: "default" }, spec: { containers: [sh("true")] } });
      return cache.get({
        pod,
        container: "main",
        what: "test",
        isUsable: () => true,
        compute: () => ({ value: ++worked, bytes: 1 }),
      });
    };
    return { cache, get };
  }
});

describe("L4: the next read of a follower", () => {
  const newsOf = async (cluster: TestCluster) => {
    const printed = await cluster.containers.printed(podOf(cluster), "main", { previous: false, follows: true });
    return printed?.nextOutputMs === undefined ? undefined : printed.nextOutputMs - cluster.clock.nowMs();
  };

  test("L4: is due when the next line is printed", async () => {
    const cluster = clusterWith(sh("sleep 600; echo late; sleep 3600"));
    const waitMs = (await newsOf(cluster)) ?? 0;
    expect(waitMs).toBeGreaterThan(590_000);
    cluster.step(waitMs);
    expect(await logOf(cluster, true)).toBe("late");
  });

  test("L4: is due at the next round of a loop whose rounds an hour ahead are not all computed", async () => {
    const costly = "seq 1 3000 | sort -n | tail -n 1";
    const cluster = clusterWith(sh(`while true; do ${costly}; sleep 30; done`));
    cluster.step(600_000);
    expect((await newsOf(cluster)) ?? 0).toBeLessThanOrEqual(30_000);
  });

  test("L4: is due an hour later if no line is printed before", async () => {
    expect(await newsOf(clusterWith(sh("sleep 86400")))).toBe(3_600_000);
    expect(await newsOf(clusterWith(sh("while true; do sleep 5; done")))).toBe(3_600_000);
  });
});
