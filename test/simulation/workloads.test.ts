// Workloads under faults: evicted, killed and refused at random while they are made, changed and disturbed, they end exact.
import { describe, expect, test } from "vitest";
import type { Job } from "../../shared/k8s/api/batch-v1.ts";
import type { Pod } from "../../shared/k8s/api/core-v1.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import { seededRandom } from "../../shared/base/random.ts";
import { controllerRevisions } from "../../worker/kinds/apps/controller-revision.ts";
import { cronJobs } from "../../worker/kinds/batch/cron-job.ts";
import { daemonSets } from "../../worker/kinds/apps/daemon-set.ts";
import { jobs } from "../../worker/kinds/batch/job/job.ts";
import { podDisruptionBudgets } from "../../worker/kinds/policy/pod-disruption-budget.ts";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import { replicationControllers } from "../../worker/kinds/core/replication-controller.ts";
import { statefulSets } from "../../worker/kinds/apps/stateful-set.ts";
import { noFaults, World } from "./world.ts";

const seeds = Array.from({ length: Number(process.env.WORKLOAD_SEEDS ?? 4) }, (_, at) => at + 1);
const namespace = "default";
const image = (tag: number) => [{ name: "c", image: `nginx:1.${20 + tag}` }];
const templateOf = (app: string, tag: number) => ({ metadata: { labels: { app } }, spec: { containers: image(tag) } });
const selector = (app: string) => ({ matchLabels: { app } });

function make({ client }: World): void {
  client.create(daemonSets, {
    metadata: { name: "agent", namespace },
    spec: { selector: selector("agent"), template: templateOf("agent", 0) },
  });
  for (const [name, podManagementPolicy] of [
    ["db", "OrderedReady"],
    ["cache", "Parallel"],
  ] as const) {
    client.create(statefulSets, {
      metadata: { name, namespace },
      spec: {
        replicas: 3,
        serviceName: name,
        podManagementPolicy,
        selector: selector(name),
        template: templateOf(name, 0),
      },
    });
  }
  client.create(replicationControllers, {
    metadata: { name: "old", namespace },
    spec: { replicas: 3, selector: { app: "old" }, template: templateOf("old", 0) },
  });
  client.create(podDisruptionBudgets, {
    metadata: { name: "old", namespace },
    spec: { maxUnavailable: 1, selector: selector("old") },
  });
  client.create(jobs, {
    metadata: { name: "work", namespace },
    spec: {
      completions: 6,
      parallelism: 2,
      completionMode: "Indexed",
      backoffLimit: 100,
      template: {
        spec: { restartPolicy: "Never", containers: [{ name: "c", image: "busybox", command: ["sleep", "3"] }] },
      },
    },
  });
  client.create(jobs, {
    metadata: { name: "fails", namespace },
    spec: {
      backoffLimit: 2,
      template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "busybox", command: ["false"] }] } },
    },
  });
}

/** Performs one random action of a user, and ignores refusals. */
function disturb({ client }: World, random: () => number): void {
  const all = client.list(pods, { namespace });
  const pod = all[Math.floor(random() * all.length)];
  const name = pod?.metadata.name ?? "";
  const tag = Math.floor(random() * 3);
  const dice = Math.floor(random() * 6);
  try {
    if (dice === 0) client.delete(pods, namespace, name);
    if (dice === 1) client.delete(pods, namespace, name, { gracePeriodSeconds: 0 });
    if (dice === 2) client.act(pods, "eviction", namespace, name, { metadata: { name } });
    if (dice === 3) update(daemonSets, "agent");
    if (dice === 4) update(statefulSets, random() < 0.5 ? "db" : "cache");
    if (dice === 5) {
      const old = client.get(replicationControllers, namespace, "old");
      if (old)
        client.update(replicationControllers, {
          ...old,
          spec: { ...old.spec, replicas: 1 + Math.floor(random() * 4) },
        });
    }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }

  function update(kind: typeof daemonSets | typeof statefulSets, of: string): void {
    // Both have a template at the same place.
    const daemonSet = client.get(kind as typeof daemonSets, namespace, of);
    if (daemonSet)
      client.update(kind as typeof daemonSets, {
        ...daemonSet,
        spec: { ...daemonSet.spec, template: templateOf(of, tag) },
      });
  }
}

const podsOfOwner = (world: World, uid = "") => world.client.controlledBy(pods, uid);
const isReady = ({ status }: Pod) =>
  status.conditions?.some(({ type, status: on }) => type === "Ready" && on === "True");
const imageOf = ({ spec }: Pod) => spec.containers[0]?.image;

function checkRunning(world: World): void {
  const { client } = world;
  const agent = client.get(daemonSets, namespace, "agent");
  const ofAgent = podsOfOwner(world, agent?.metadata.uid);
  expect(ofAgent.map(({ spec }) => spec.nodeName).sort()).toEqual(["node-1", "node-2", "node-3"]);
  expect(new Set(ofAgent.map(imageOf))).toEqual(new Set([agent?.spec.template.spec.containers[0]?.image]));
  expect(agent?.status).toMatchObject({ numberReady: 3, updatedNumberScheduled: 3, numberAvailable: 3 });
  for (const name of ["db", "cache"]) {
    const set = client.get(statefulSets, namespace, name);
    const ofSet = podsOfOwner(world, set?.metadata.uid);
    expect(ofSet.map(({ metadata }) => metadata.name).sort()).toEqual([0, 1, 2].map((at) => `${name}-${at}`));
    expect(ofSet.every(isReady)).toBe(true);
    expect(new Set(ofSet.map(imageOf))).toEqual(new Set([set?.spec.template.spec.containers[0]?.image]));
    expect(set?.status).toMatchObject({ replicas: 3, readyReplicas: 3, updatedReplicas: 3, currentReplicas: 3 });
    expect(set?.status.currentRevision).toBe(set?.status.updateRevision);
    const revisions = client.controlledBy(controllerRevisions, set?.metadata.uid ?? "").map(({ revision }) => revision);
    expect(new Set(revisions).size).toBe(revisions.length);
  }
  const old = client.get(replicationControllers, namespace, "old");
  const replicas = old?.spec.replicas ?? 0;
  expect(podsOfOwner(world, old?.metadata.uid).filter(isReady).length).toBe(replicas);
  expect(old?.status).toMatchObject({ replicas, readyReplicas: replicas });
  expect(client.get(podDisruptionBudgets, namespace, "old")?.status).toMatchObject({
    expectedPods: replicas,
    currentHealthy: replicas,
    desiredHealthy: replicas - 1,
    disruptionsAllowed: 1,
  });
}

function checkJobs(world: World): void {
  const work = world.client.get(jobs, namespace, "work");
  const conditions = (job: Job | undefined) => job?.status.conditions?.map(({ type }) => type);
  expect(work?.status).toMatchObject({ succeeded: 6, completedIndexes: "0-5", uncountedTerminatedPods: {} });
  expect(conditions(work)).toContain("Complete");
  const fails = world.client.get(jobs, namespace, "fails");
  expect(fails?.status.failed).toBe(3);
  expect(conditions(fails)).toContain("Failed");
  const held = world.client.list(pods, { namespace }).filter(({ metadata }) => metadata.finalizers?.length);
  expect(held.map(({ metadata }) => metadata.name)).toEqual([]);
}

describe("C2: workloads with faults on the way", () => {
  test.each(seeds)("seed %d ends with the exact number of pods", (seed) => {
    const world = new World({ seed, faults: { evict: 0.1, kill: 0.1, refuse: 0.05 }, onChange: withinParallelism });
    const random = seededRandom(seed);
    world.turn(() => make(world));
    for (let round = 0; round < 30; round++) {
      world.pass(Math.floor(random.next() * 5_000));
      world.turn(() => disturb(world, () => random.next()));
    }
    world.faults = noFaults;
    world.runUntilQuiet();
    checkRunning(world);
    checkJobs(world);
    expect(world.happened.evicted).toBeGreaterThan(0);
  });
});

/** At no moment more pods of the job run than may. */
function withinParallelism({ resource, object }: { resource: string; object: unknown }, client: World["client"]): void {
  if (resource !== "pods") return;
  const reference = (object as Pod).metadata.ownerReferences?.[0];
  if (reference?.name !== "work") return;
  const alive = client
    .controlledBy(pods, reference.uid)
    .filter(
      ({ metadata, status }) =>
        !metadata.deletionTimestamp && status.phase !== "Succeeded" && status.phase !== "Failed",
    );
  if (alive.length > 2) throw new Error(`${alive.length} pods of a job that may have 2`);
}

test("C2: every start of a CronJob is created once with any faults", () => {
  const world = new World({ seed: 3, faults: { evict: 0.2, kill: 0.1, refuse: 0.1 } });
  world.turn(() => {
    const command = ["true"];
    const spec = { restartPolicy: "Never" as const, containers: [{ name: "c", image: "busybox", command }] };
    world.client.create(cronJobs, {
      metadata: { name: "tick", namespace },
      spec: { schedule: "* * * * *", jobTemplate: { spec: { template: { spec } } } },
    });
  });
  const fromMs = world.clock.nowMs();
  world.pass(20 * 60_000 + 30_000);
  const minutes = Math.floor(world.clock.nowMs() / 60_000) - Math.floor(fromMs / 60_000);
  const createdJobs = world.changes.filter(({ resource, type }) => resource === "jobs.batch" && type === "ADDED");
  expect(new Set(createdJobs.map(({ name }) => name)).size).toBe(createdJobs.length);
  expect(createdJobs.length).toBe(minutes);
  world.faults = noFaults;
  world.pass(60_000);
  expect(world.client.list(jobs, { namespace }).length).toBeLessThanOrEqual(4);
  expect(world.client.get(cronJobs, namespace, "tick")?.status.active).toBeUndefined();
});
