// The cost of a pod from its creation to its deletion, the cost of many idle pods, and the time to read a day's log.
import { expect } from "../http.ts";
import { deployment, makeSandbox, pod, type Sandbox } from "../sandbox.ts";
import type { Bench } from "../service.ts";
import { percentile } from "../statistics.ts";
import { atMost, type Figure } from "../table.ts";
import { waitUntilIdle } from "./rollout.ts";

const lives = 10;
const idlePods = 100;
/** Less than the time after which an idle object is evicted, since the counters restart when it is opened. */
const idleMs = 5_000;
const reads = 10;
const dayMs = 86_400_000;
const path = "/api/v1/namespaces/default/pods";

export async function pods(bench: Bench): Promise<Figure[]> {
  const sandbox = await makeSandbox(bench);
  await waitUntilIdle(sandbox);
  const writes = await writesPerPod(sandbox);
  const dayLogMs = await readDayLog(sandbox);
  const alarms = await alarmsOfIdle(sandbox);
  sandbox.agent.destroy();
  return [
    // A log of a day must not be computed line by line, and idle pods must not wake the cluster.
    {
      what: "rows and alarms written for a pod's life",
      value: writes,
      unit: "writes",
      bar: atMost(writes, 32, "writes"),
    },
    { what: "log of a loop of a day, p50", value: dayLogMs, unit: "ms", bar: atMost(dayLogMs, 100, "ms") },
    {
      what: `alarms set by ${idlePods} pods that rest`,
      value: alarms,
      unit: "alarms",
      bar: atMost(alarms, 0, "alarms"),
    },
  ];
}

/** Returns the average rows and alarms that a pod writes: created, running and ready, deleted, gone. */
async function writesPerPod(sandbox: Sandbox): Promise<number> {
  const before = await sandbox.written();
  for (let life = 0; life < lives; life++) {
    const name = `life-${life}`;
    await sandbox.post(path, pod(name));
    await until(async () =>
      (await sandbox.get(path)).includes('"type":"Ready","observedGeneration":1,"status":"True"'),
    );
    await sandbox.delete(`${path}/${name}`);
    await until(async () => !(await sandbox.get(path)).includes(`"name":"${name}"`));
  }
  await waitUntilIdle(sandbox);
  const after = await sandbox.written();
  return (after.rows - before.rows + after.alarms - before.alarms) / lives;
}

/** Returns the milliseconds to read the end of a log with a line a second, of a container that started a day ago. */
async function readDayLog(sandbox: Sandbox): Promise<number> {
  const command = ["sh", "-c", "while true; do date; sleep 1; done"];
  const containers = [{ name: "web", image: "busybox", command }];
  await sandbox.post(path, { metadata: { name: "clock" }, spec: { containers } });
  await until(async () => (await sandbox.get(`${path}/clock`)).includes('"running"'));
  const clock = JSON.parse(await sandbox.get(`${path}/clock`)) as {
    status: { startTime: string; containerStatuses: { state: { running: { startedAt: string } } }[] };
  };
  const startedAt = new Date(Date.now() - dayMs).toISOString().replace(/\.\d+Z/, "Z");
  const [container] = clock.status.containerStatuses;
  if (container) container.state.running.startedAt = startedAt;
  const { agent, token, url } = sandbox;
  await expect(200, agent, `${url}${path}/clock/status`, { method: "PUT", token, body: JSON.stringify(clock) });
  const times: number[] = [];
  for (let read = 0; read < reads; read++) {
    const startMs = performance.now();
    await sandbox.get(`${path}/clock/log?tailLines=10`);
    times.push(performance.now() - startMs);
  }
  await sandbox.delete(`${path}/clock`);
  return percentile(times, 0.5);
}

async function alarmsOfIdle(sandbox: Sandbox): Promise<number> {
  const deployments = "/apis/apps/v1/namespaces/default/deployments";
  await sandbox.post(deployments, deployment("idle", idlePods));
  await until(async () => (await sandbox.get(`${deployments}/idle`)).includes(`"availableReplicas":${idlePods}`));
  await waitUntilIdle(sandbox);
  const { alarms } = await sandbox.written();
  await new Promise((resolve) => setTimeout(resolve, idleMs));
  return (await sandbox.written()).alarms - alarms;
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 50));
}
