// Effects of containers on each other are recorded once, at their time, whether or not anything is read.
import { expect, test } from "vitest";
import { limits } from "../../shared/base/limits.ts";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import { core, newServer, type TestServer } from "../api/server.ts";
import { newCluster } from "../cluster.ts";
import { createTables } from "../../worker/store/tables.ts";
import { put, savedState } from "./state/saved.ts";
import { nodeSql } from "../sqlite.ts";

async function create(server: TestServer, path: string, body: object): Promise<void> {
  const { code, text } = await server.ask("POST", path, { body });
  expect({ code, text: code === 201 ? "" : text }).toEqual({ code: 201, text: "" });
}

async function createPod(
  server: TestServer,
  name: string,
  image: string,
  script?: string,
  args?: readonly string[],
): Promise<void> {
  const command = script === undefined ? {} : { command: ["sh", "-c", script] };
  const containers = [{ name: "main", image, ...command, ...(args ? { args } : {}) }];
  const metadata = { name, labels: { app: name } };
  await create(server, `${core}/pods`, { apiVersion: "v1", kind: "Pod", metadata, spec: { containers } });
}

async function createService(server: TestServer, name: string, port: number): Promise<void> {
  const spec = { selector: { app: name }, ports: [{ port }] };
  await create(server, `${core}/services`, { apiVersion: "v1", kind: "Service", metadata: { name }, spec });
}

async function logOf(server: TestServer, name: string): Promise<string[]> {
  const { text } = await server.ask("GET", `${core}/pods/${name}/log`);
  return text === "" ? [] : text.trimEnd().split("\n");
}

test("L7: the access log of a server has each request of a client in a loop once, however often the log is read", async () => {
  const server = newServer();
  await createPod(server, "web", "nginx:1.27");
  await createService(server, "web", 80);
  server.cluster.step(5_000);
  await createPod(server, "loop", "busybox:1.36", "while true; do wget -q -O- http://web/ >/dev/null; sleep 3; done");
  server.cluster.step(60_500);
  const requests = async () => (await logOf(server, "web")).filter((line) => line.includes('"GET / HTTP/1.1" 200'));
  expect(await requests()).toHaveLength(21);
  expect(await requests()).toHaveLength(21);
  server.cluster.step(30_000);
  const later = await requests();
  expect(later).toHaveLength(31);
  expect(new Set(later).size).toBe(31);
  expect(server.bugs).toEqual([]);
});

const askWeb = "while true; do wget -q -T 1 -O- http://web/ || echo fail; sleep 3; done";

async function printedBy(cluster: Pick<TestServer["cluster"], "get" | "containers">, name: string): Promise<string[]> {
  const read = { previous: false, follows: false };
  const printed = await cluster.containers.printed(cluster.get(pods, "default", name), "main", read);
  return printed?.lines.slice(0, printed.count).map(({ atMs, text }) => `${atMs} ${text}`) ?? [];
}

test("L6: a fork keeps the output of its containers without the history of the cluster, and the containers continue", async () => {
  const sql = nodeSql();
  const server = newServer({ sql });
  const { cluster } = server;
  await createPod(server, "web", "hashicorp/http-echo", undefined, ["-text=hello", "-listen=:80"]);
  await createService(server, "web", 80);
  cluster.step(5_000);
  await createPod(server, "loop", "busybox:1.36", askWeb);
  cluster.step(20_000);
  cluster.client.delete(pods, "default", "web");
  cluster.step(20_000);
  const before = await printedBy(cluster, "loop");
  expect(before.some((line) => line.endsWith("hello"))).toBe(true);
  expect(before.at(-1)).toMatch(/fail$/);
  const file = savedState(cluster, sql);
  const copy = nodeSql();
  createTables(copy);
  put(copy, cluster.clock, file);
  const fork = newCluster({ sql: copy, base: "kept", nowMs: cluster.clock.nowMs() });
  fork.step(10_000);
  const after = await printedBy(fork, "loop");
  expect(after.slice(0, before.length)).toEqual(before);
  expect(after.length).toBeGreaterThan(before.length);
});

test("L7: a database has the rows of all its clients, and each client finds the earlier rows of the others", async () => {
  const server = newServer();
  const { cluster } = server;
  await createPod(server, "store", "redis:8");
  await createService(server, "store", 6379);
  cluster.step(5_000);
  const add = "for i in 1 2 3 4 5; do redis-cli -h store incr n; sleep 1; done; sleep 1000";
  await createPod(server, "a", "redis:8", add);
  cluster.step(300);
  await createPod(server, "b", "redis:8", add);
  cluster.step(20_000);
  const numbers = async (name: string) => (await printedBy(cluster, name)).map((line) => Number(line.split(" ")[1]));
  const all = [...(await numbers("a")), ...(await numbers("b"))];
  expect(all.toSorted((left, right) => left - right)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});

test("L7: effects of a run past the bound of followed runs are not recorded", async () => {
  const server = newServer();
  const { cluster } = server;
  await createPod(server, "web", "nginx:1.27");
  const pod = cluster.get(pods, "default", "web");
  for (let at = 0; at < limits.timelineRuns; at++) {
    cluster.timeline.add(
      { ...pod, metadata: { ...pod.metadata, uid: `other-${at}` } },
      { container: "main", startMs: 0 },
    );
  }
  await createService(server, "web", 80);
  cluster.step(5_000);
  await createPod(server, "loop", "busybox:1.36", "while true; do wget -q -O- http://web/ >/dev/null; sleep 3; done");
  const { runs } = cluster.timeline;
  expect(runs).toBe(limits.timelineRuns);
  cluster.step(10_000);
  expect(cluster.timeline.runs).toBeLessThanOrEqual(limits.timelineRuns);
});

test("L7: a container that waits for data continues when another container changes them, without a reader", async () => {
  const server = newServer();
  const { cluster } = server;
  await createPod(server, "store", "redis:8");
  await createService(server, "store", 6379);
  cluster.step(5_000);
  const wait = 'until [ "$(redis-cli -h store get ready)" = yes ]; do sleep 1; done; sleep 5';
  const containers = [{ name: "main", image: "redis:8", command: ["sh", "-c", wait] }];
  const spec = { restartPolicy: "Never", containers };
  await create(server, `${core}/pods`, { apiVersion: "v1", kind: "Pod", metadata: { name: "waiter" }, spec });
  // Long after its start, so that no look of its kubelet happens to fall on that moment.
  await createPod(server, "writer", "redis:8", "sleep 1500; redis-cli -h store set ready yes; sleep 100000");
  const startMs = cluster.clock.nowMs();
  cluster.step(1_515_000);
  const terminated = cluster.get(pods, "default", "waiter").status.containerStatuses?.[0]?.state.terminated;
  expect(terminated?.exitCode).toBe(0);
  const tookMs = Date.parse(terminated?.finishedAt ?? "") - startMs;
  expect(tookMs).toBeGreaterThan(1_503_000);
  expect(tookMs).toBeLessThan(1_512_000);
});

test("L7: every round of a loop that changes data is run", async () => {
  const server = newServer();
  const { cluster } = server;
  await createPod(server, "store", "redis:8");
  await createService(server, "store", 6379);
  cluster.step(5_000);
  await createPod(server, "loop", "redis:8", "while true; do redis-cli -h store incr n >/dev/null; sleep 1; done");
  const startMs = cluster.clock.nowMs();
  cluster.clock.step(3_000_000);
  await createPod(server, "reader", "redis:8", "redis-cli -h store get n; sleep 1000");
  cluster.step(5_000);
  const [line = ""] = await printedBy(cluster, "reader");
  const [atMs, rounds] = line.split(" ").map(Number);
  // A round takes a second and what redis-cli takes.
  const seconds = ((atMs ?? 0) - startMs) / 1000;
  expect(rounds).toBeGreaterThan(seconds / 1.05);
  expect(rounds).toBeLessThanOrEqual(seconds);
});

test("L7: only the newest of equal rounds are run, so a day of two clients' loops costs less than 0.5 s of work", async () => {
  const server = newServer();
  const { cluster } = server;
  await createPod(server, "web", "nginx:1.27");
  await createService(server, "web", 80);
  cluster.step(5_000);
  for (const name of ["a", "b"]) {
    await createPod(
      server,
      name,
      "busybox:1.36",
      "while true; do wget -q -O- http://web/ >/dev/null && echo ok; sleep 1; done",
    );
  }
  cluster.step(5_000);
  cluster.clock.step(86_400_000);
  const { meter } = cluster.client;
  const before = meter.spent;
  const lines = await printedBy(cluster, "a");
  expect(meter.spent - before).toBeLessThan(500_000);
  expect(lines.at(-1)).toMatch(/ ok$/);
  expect(cluster.clock.nowMs() - Number(lines.at(-1)?.split(" ")[0])).toBeLessThan(2_000);
  expect(lines.some((line) => line.includes("sandbar:"))).toBe(false);
});

test("L7: runs that do not fit into memory together are still followed", async () => {
  const server = newServer();
  const { cluster } = server;
  await createPod(server, "web", "nginx:1.27");
  await createService(server, "web", 80);
  cluster.step(5_000);
  // Each holds 450 KB: all of them hold more than the bound of waiting runs.
  const script =
    "x=$(seq 1 70000); i=0; while true; do i=$((i+1)); wget -q -O- http://web/ >/dev/null && echo $i; sleep 1; done";
  const names = Array.from({ length: 21 }, (_, index) => `client-${index}`);
  for (const name of names) await createPod(server, name, "busybox:1.36", script);
  cluster.step(1_000);
  cluster.clock.step(20_000);
  for (const name of [names[0] ?? "", names.at(-1) ?? ""]) {
    const last = (await printedBy(cluster, name)).at(-1) ?? "";
    expect(cluster.clock.nowMs() - Number(last.split(" ")[0])).toBeLessThan(2_500);
  }
});

test("L7: containers that send requests and share a volume continue from their last state", async () => {
  const server = newServer();
  const { cluster } = server;
  await createPod(server, "web", "nginx:1.27");
  await createService(server, "web", 80);
  cluster.step(5_000);
  const volumeMounts = [{ name: "results", mountPath: "/results" }];
  const containers = ["main", "other"].map((name) => {
    const asks = Array.from(
      { length: 8 },
      (_, index) => `nslookup web >/dev/null && wget -q -O /results/${name}-${index} http://web/`,
    );
    const command = ["sh", "-c", `i=0; while true; do i=$((i+1)); ${asks.join("; ")}; echo $i; sleep 1; done`];
    return { name, image: "busybox:1.36", command, volumeMounts };
  });
  const spec = { containers, volumes: [{ name: "results", emptyDir: {} }] };
  for (const name of ["a", "b", "c"]) {
    await create(server, `${core}/pods`, { apiVersion: "v1", kind: "Pod", metadata: { name }, spec });
  }
  cluster.step(1_000);
  const rounds: number[] = [];
  for (let look = 0; look < 4; look++) {
    cluster.clock.step(5_000);
    rounds.push((await printedBy(cluster, "a")).length);
  }
  expect(rounds).toEqual(rounds.toSorted((left, right) => left - right));
  expect(rounds.at(-1)).toBeGreaterThan(15);
});
