// Pods under a disruption budget that are evicted repeatedly; the budget is checked at every change of a pod.
import type { PodDisruptionBudgetSpec } from "../../shared/k8s/api/policy-v1.ts";
import type { Draft } from "../../shared/k8s/meta.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import { deployments } from "../../worker/kinds/apps/deployment.ts";
import { podDisruptionBudgets } from "../../worker/kinds/policy/pod-disruption-budget.ts";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import { replicationControllers } from "../../worker/kinds/core/replication-controller.ts";
import { statefulSets } from "../../worker/kinds/apps/stateful-set.ts";
import type { Client } from "../../worker/registry/client.ts";
import { isActive, isReady } from "./checks/view.ts";
import { type Dice, diceOf } from "./dice.ts";
import { nth } from "./users/wish.ts";
import { noFaults, World } from "./world.ts";

const namespace = "default";
const named = { namespace, name: "web" };
const labels = { app: "web" };
const selector = { matchLabels: labels };
const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "nginx:1.25" }] } };
const pausesMs = [0, 0, 1, 300, 1000, 35_000];

export interface Evictions {
  /** Moments at which fewer were healthy than must be. */
  readonly problems: readonly string[];
  readonly done: number;
  readonly refused: number;
}

export function evictOften(seed: number): Evictions {
  const dice = diceOf(seed);
  const replicas = 1 + dice.below(6);
  const budget = anyBudget(dice);
  const least = leastHealthy(budget, replicas);
  const problems: string[] = [];
  let isWatched = false;
  const world = new World({
    seed,
    zeroDelays: seed % 2 === 0,
    onChange: ({ resource, revision }, client) => {
      if (!isWatched || resource !== pods.resource) return;
      const healthy = client.list(pods, { namespace }).filter((pod) => isActive(pod) && isReady(pod)).length;
      if (healthy < least) problems.push(`${revision}: ${healthy} healthy pods of at least ${least}`);
    },
  });
  world.turn(() => {
    make(world.client, replicas, dice);
    world.client.create(podDisruptionBudgets, { metadata: named, spec: { ...budget, selector } });
  });
  world.runUntilQuiet();
  isWatched = true;
  world.faults = { ...noFaults, evict: 0.1, kill: 0.05, stop: 0.1, refuse: 0.05 };
  let [done, refused] = [0, 0];
  for (let index = 0; index < 25; index++) {
    const numbers = Array.from({ length: 1 + dice.below(3) }, () => dice.below(100));
    world.turn(() => {
      for (const number of numbers) {
        if (evict(world.client, number)) done++;
        else refused++;
      }
    });
    world.pass(dice.pick(pausesMs) ?? 0);
  }
  world.faults = noFaults;
  world.runUntilQuiet();
  return { problems, done, refused };
}

function anyBudget(dice: Dice): Draft<PodDisruptionBudgetSpec> {
  return dice.choose<Draft<PodDisruptionBudgetSpec>>(
    { minAvailable: 1 },
    { minAvailable: 2 },
    { minAvailable: "60%" },
    { maxUnavailable: 1 },
    { maxUnavailable: "40%" },
  );
}

/** Shares are rounded up, as upstream does. */
function leastHealthy({ minAvailable, maxUnavailable }: Draft<PodDisruptionBudgetSpec>, replicas: number): number {
  const scaled = (value: number | string) =>
    typeof value === "number" ? value : Math.ceil((Number.parseInt(value, 10) / 100) * replicas);
  if (minAvailable !== undefined) return Math.min(replicas, scaled(minAvailable));
  return Math.max(0, replicas - scaled(maxUnavailable ?? 0));
}

function make(client: Client, replicas: number, dice: Dice): void {
  const spec = { replicas, selector, template };
  const which = dice.below(3);
  if (which === 0) client.create(deployments, { metadata: named, spec });
  else if (which === 1) client.create(statefulSets, { metadata: named, spec: { ...spec, serviceName: "web" } });
  else client.create(replicationControllers, { metadata: named, spec: { replicas, selector: labels, template } });
}

function evict(client: Client, number: number): boolean {
  const name = nth(client.list(pods, { namespace }), number)?.metadata.name;
  if (name === undefined) return false;
  try {
    client.act(pods, "eviction", namespace, name, { metadata: { name } });
    return true;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return false;
  }
}
