// The sync of a pod with many containers is done in parts, and other work runs in between. The result for the pod is the same.
import { describe, expect, test } from "vitest";
import { must } from "../../shared/base/assert.ts";
import { limits } from "../../shared/base/limits.ts";
import type { Pod } from "../../shared/k8s/api/core-v1.ts";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import { services } from "../../worker/kinds/core/service/service.ts";
import type { NodeServices } from "../../worker/containers/cri.ts";
import { remember } from "../../worker/kubelet/config/waiting.ts";
import { kubelet } from "../../worker/kubelet/kubelet.ts";
import { newSyncWork } from "../../worker/kubelet/life.ts";
import { SyncPart, SyncUnfinished } from "../../worker/kubelet/stages/sync-part.ts";
import { stepPod } from "../../worker/kubelet/step.ts";
import { holding, newSync, UnfinishedSyncs } from "../../worker/kubelet/unfinished-syncs.ts";
import { newCluster, type TestCluster } from "../cluster.ts";
import { container, podOf, runPod, steady } from "./pod-run.ts";

const busybox = (name: string, ...command: string[]) => ({ ...container("busybox", { command }), name });
const exec = (...command: string[]) => ({ exec: { command }, periodSeconds: 1 });

const shapes: Readonly<Record<string, Partial<Pod["spec"]>>> = {
  "of servers with probes": {
    containers: [
      container("nginx", {
        readinessProbe: { httpGet: { port: 80 } },
        livenessProbe: exec("test", "-e", "/etc/passwd"),
      }),
      { ...busybox("other", "sleep", "50"), startupProbe: exec("true"), readinessProbe: exec("false") },
      { ...busybox("killed", "sleep", "1000"), livenessProbe: exec("false") },
    ],
  },
  "that crashes": {
    containers: [busybox("a", "sh", "-c", "sleep 3; exit 1"), busybox("b", "false"), busybox("c", "true")],
  },
  "with hooks": {
    containers: [
      {
        ...busybox("a", "sleep", "1000"),
        lifecycle: { postStart: { exec: { command: ["sleep", "2"] } }, preStop: { exec: { command: ["false"] } } },
      },
      busybox("b", "sleep", "1000"),
    ],
  },
  "with a shared volume": {
    volumes: [{ name: "v", emptyDir: {} }],
    initContainers: [busybox("first", "sleep", "1")],
    containers: [
      {
        ...busybox("writer", "sh", "-c", "sleep 5; touch /v/ready; sleep 100"),
        volumeMounts: [{ name: "v", mountPath: "/v" }],
      },
      {
        ...busybox("reader", "sh", "-c", "until test -e /v/ready; do sleep 1; done; exit 3"),
        volumeMounts: [{ name: "v", mountPath: "/v" }],
      },
    ],
  },
  "whose program is missing": { containers: [busybox("a", "no-such-program"), busybox("b", "sleep", "100")] },
};

/** Synchronizes a pod in parts, each of which computes one result. Counts the parts that do not end a sync. */
function inParts() {
  let spent = 0;
  let interruptions = 0;
  const sync: typeof stepPod = (pod, node, delays, nowMs, sinceMs) => {
    const work = newSyncWork();
    for (;;) {
      // Work is done, whatever it is.
      const syncPart = new SyncPart(() => spent++, 0);
      const held = holding(node, work);
      try {
        const step = stepPod(pod, { ...held.node, syncPart }, delays, nowMs, sinceMs, work);
        held.release();
        return step;
      } catch (error) {
        if (!(error instanceof SyncUnfinished)) throw error;
        interruptions++;
      }
    }
  };
  return { sync, interruptions: () => interruptions };
}

test.each(Object.keys(shapes))("a pod %s has the same life as with each sync in one turn", (shape) => {
  const uninterrupted = runPod(podOf(shapes[shape] ?? {}), steady);
  const { sync, interruptions } = inParts();
  const parted = runPod(podOf(shapes[shape] ?? {}), steady, {}, {}, sync);
  for (const run of [uninterrupted, parted]) {
    run.pass(60);
    run.remove(10);
    run.pass(30);
  }
  expect(parted.events).toEqual(uninterrupted.events);
  expect(parted.pod.status).toEqual(uninterrupted.pod.status);
  expect(parted.finished).toBe(true);
  expect(interruptions()).toBeGreaterThan(3);
});

test("a late sync applies the results of probes beside each container", () => {
  const sidecar = {
    ...busybox("early", "sleep", "1000"),
    restartPolicy: "Always",
    readinessProbe: { tcpSocket: { port: 80 }, periodSeconds: 1 },
  };
  const run = runPod(podOf({ initContainers: [sidecar], containers: [container("nginx")] }));
  run.pass(0);
  run.nowMs += 60_000;
  run.pass(0);
  expect(run.pod.status.initContainerStatuses?.[0]?.ready).toBe(true);
});

const many = (count: number, more: object) =>
  Array.from({ length: count }, (_, at) => ({ name: `c${at}`, image: "busybox", ...more }));

function create(cluster: TestCluster, name: string, count: number, more: object): void {
  cluster.apply(pods, { metadata: { name, namespace: "default" }, spec: { containers: many(count, more) } });
}

/** Runs one turn of the cluster; returns the work that it did. */
function turn({ registry, runtime }: TestCluster): number {
  const { spent } = registry.store.meter;
  runtime.drain(1);
  return registry.store.meter.spent - spent;
}

describe("turns of a cluster", () => {
  test.each([
    ["whose programs end", {}],
    ["whose programs run", { command: ["sleep", "1000"] }],
    ["with probes", { command: ["sleep", "1000"], readinessProbe: exec("true") }],
  ])("H1: a turn over a pod of 300 containers %s does at most 90 ms of work", (_, more) => {
    const cluster = newCluster({ base: "layered" });
    cluster.runUntilQuiet();
    create(cluster, "big", 300, more);
    let longest = 0;
    for (let turns = 0; turns < 30; turns++) longest = Math.max(longest, turn(cluster));
    expect(longest).toBeGreaterThan(limits.syncPartWork);
    expect(longest).toBeLessThan(90_000);
    expect(cluster.get(pods, "default", "big").status.containerStatuses).toHaveLength(300);
  });

  test("more pods than there are slots for unfinished syncs all become Running", () => {
    const cluster = newCluster({ base: "layered" });
    cluster.runUntilQuiet();
    const names = Array.from({ length: limits.unfinishedSyncs + 4 }, (_, at) => `p${at}`);
    for (const name of names) create(cluster, name, 60, { command: ["sleep", "1000"] });
    cluster.step(10_000);
    for (const name of names) expect(cluster.get(pods, "default", name).status.phase).toBe("Running");
  });

  test("a change between two parts is seen by containers that were followed before it", () => {
    const started: number[] = [];
    for (const turns of [2, 4, 12]) {
      const cluster = newCluster({ base: "layered" });
      cluster.runUntilQuiet();
      const command = ["sh", "-c", "until nslookup web; do sleep 2; done"];
      const spec = { restartPolicy: "Never" as const, containers: many(100, { command }) };
      cluster.apply(pods, { metadata: { name: "big", namespace: "default" }, spec });
      for (let at = 0; at < turns; at++) turn(cluster);
      started.push(cluster.get(pods, "default", "big").status.containerStatuses?.length ?? 0);
      const metadata = { name: "web", namespace: "default" };
      cluster.client.create(services, { metadata, spec: { ports: [{ port: 80 }], selector: { app: "web" } } });
      cluster.step(60_000);
      expect(cluster.get(pods, "default", "big").status.phase).toBe("Succeeded");
    }
    // The Service came before the sync was over, and after it.
    expect(started.at(0)).toBe(0);
    expect(started.at(-1)).toBe(100);
  });
});

describe("unfinished syncs", () => {
  const request = (name: string) => ({ namespace: "default", name });
  const pod = podOf({}, { resourceVersion: "1" });
  const later = podOf({}, { resourceVersion: "2" });

  test("continue at their own time until the pod or its edits change", () => {
    const syncs = new UnfinishedSyncs();
    const sync = newSync(pod, 1, 1000);
    expect(syncs.keep(request("a"), sync)).toBe(true);
    const next = syncs.begin(request("a"), pod, 1, 2000);
    expect(next?.work).toBe(sync.work);
    expect(next?.nowMs).toBe(1000);
    expect(syncs.begin(request("a"), later, 1, 2000)).toMatchObject({ nowMs: 2000, isStale: false });
    expect(syncs.begin(request("a"), pod, 2, 2000)?.work).not.toBe(sync.work);
  });

  test("continue if a dependency of the pod changes, and are then marked stale", () => {
    const syncs = new UnfinishedSyncs();
    const sync = newSync(pod, 1, 1000);
    syncs.keep(request("a"), sync);
    syncs.outdate(request("a"));
    expect(syncs.begin(request("a"), pod, 1, 2000)).toMatchObject({ nowMs: 1000, isStale: true });
  });

  test("leave their programs' effects to the next sync if that follows immediately", () => {
    const syncs = new UnfinishedSyncs();
    const sync = newSync(pod, 1, 1000);
    syncs.end(request("a"), sync, { pod: later, version: 1 });
    expect(syncs.begin(request("a"), later, 1, 2000)).toMatchObject({ nowMs: 2000, work: { alone: sync.work.alone } });
    syncs.end(request("a"), sync, { pod: later, version: 1 });
    syncs.outdate(request("a"));
    expect(syncs.begin(request("a"), later, 1, 2000)?.work.alone).not.toBe(sync.work.alone);
    syncs.end(request("a"), { ...sync, isStale: true }, { pod: later, version: 1 });
    expect(syncs.begin(request("a"), later, 1, 2000)?.work.alone).not.toBe(sync.work.alone);
  });

  test("are followed by another sync if a dependency of their programs changes before they finish", () => {
    const { memory, watches } = kubelet({ runtimes: { open: () => () => must<NodeServices>(undefined, "a runtime") } });
    const ofKubelet = must(memory, "a memory")();
    ofKubelet.unfinished.keep(request("a"), newSync(pod, 1, 1000));
    remember(ofKubelet.waiting, ["service/default/web"], request("a"));
    const service = { apiVersion: "v1", kind: "Service", metadata: { name: "web", namespace: "default" } };
    const { client } = newCluster({ base: "layered" });
    const ofServices = watches.filter(({ kind }) => kind === services);
    const requests = ofServices.flatMap((watch) => [...watch.requests(service, undefined, client, ofKubelet)]);
    expect(requests).toEqual([request("a")]);
    expect(ofKubelet.unfinished.begin(request("a"), pod, 1, 2000)).toMatchObject({ nowMs: 1000, isStale: true });
  });

  test("have a bounded number of slots, and further syncs wait for a free one", () => {
    const syncs = new UnfinishedSyncs();
    const names = Array.from({ length: limits.unfinishedSyncs }, (_, at) => `p${at}`);
    for (const name of names) expect(syncs.keep(request(name), newSync(pod, 1, 1000))).toBe(true);
    expect(syncs.begin(request("late"), pod, 1, 1000)).toBeDefined();
    expect(syncs.keep(request("late"), newSync(pod, 1, 1000))).toBe(false);
    expect(syncs.begin(request("late"), pod, 1, 1000)).toBeUndefined();
    syncs.drop(request("p0"));
    expect(syncs.begin(request("late"), pod, 1, 1000)).toBeDefined();
  });
});
