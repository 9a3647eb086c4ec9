// A Deployment that is rolled out repeatedly; the bounds of a rollout are checked at every change of a pod.
import type { Deployment } from "../../shared/k8s/api/apps-v1.ts";
import { getScaledValueFromIntOrPercent } from "../../shared/k8s/intstr.ts";
import { deployments } from "../../worker/kinds/apps/deployment.ts";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import type { Client } from "../../worker/registry/client.ts";
import { surgeOf } from "./checks/change-invariants.ts";
import { isActive, isReady } from "./checks/view.ts";
import { type Dice, diceOf } from "./dice.ts";
import { edit } from "./users/wish.ts";
import { noFaults, World } from "./world.ts";

const place = ["default", "web"] as const;
const labels = { app: "web" };
const images = ["nginx:1.25", "nginx:1.26", "nginx:1.27", "busybox:1", "example.com/does-not-exist:1"];
const pausesMs = [0, 0, 1, 300, 1000, 5000, 30_000];

/** Plays a rollout and returns its problems: more pods than the surge allows, or fewer available pods than required. */
export function rollOut(seed: number): string[] {
  const dice = diceOf(seed);
  const problems: string[] = [];
  let isWatched = false;
  const world = new World({
    seed,
    zeroDelays: seed % 2 === 0,
    onChange: ({ resource, revision }, client) => {
      if (!isWatched || resource !== pods.resource) return;
      for (const problem of boundsBroken(client)) problems.push(`${revision}: ${problem}`);
    },
  });
  world.turn(() => create(world.client, dice));
  world.runUntilQuiet();
  isWatched = true;
  // No write is refused: a rollout goes on while a ReplicaSet cannot delete a pod, upstream's too.
  world.faults = { ...noFaults, evict: 0.1, kill: 0.05, stop: 0.05 };
  for (let index = 0; index < 12; index++) {
    const image = dice.pick(images) ?? "nginx";
    world.turn(() =>
      edit(world.client, deployments, ...place, ({ spec }) => {
        for (const container of spec.template.spec.containers) container.image = image;
      }),
    );
    world.pass(dice.pick(pausesMs) ?? 0);
  }
  return problems;
}

function create(client: Client, dice: Dice): void {
  const rollingUpdate = dice.choose(
    { maxSurge: "25%", maxUnavailable: "25%" },
    { maxSurge: 1, maxUnavailable: 0 },
    { maxSurge: 0, maxUnavailable: 1 },
    { maxSurge: 3, maxUnavailable: 2 },
    { maxSurge: "100%", maxUnavailable: "0%" },
  );
  client.create(deployments, {
    metadata: { namespace: place[0], name: place[1] },
    spec: {
      replicas: 1 + dice.below(9),
      selector: { matchLabels: labels },
      strategy: { type: "RollingUpdate", rollingUpdate },
      template: { metadata: { labels }, spec: { containers: [{ name: "main", image: "nginx:1.24" }] } },
    },
  });
}

function* boundsBroken(client: Client): Generator<string> {
  const deployment = client.get(deployments, ...place);
  if (!deployment) return;
  const active = client.list(pods, { namespace: place[0] }).filter(isActive);
  const ready = active.filter(isReady).length;
  const desired = deployment.spec.replicas ?? 0;
  const [most, least] = [desired + surgeOf(deployment), desired - unavailableOf(deployment)];
  if (active.length > most) yield `${active.length} pods of at most ${most}`;
  if (ready < least) yield `${ready} ready pods of at least ${least}`;
}

function unavailableOf({ spec }: Deployment): number {
  return getScaledValueFromIntOrPercent(spec.strategy.rollingUpdate?.maxUnavailable ?? 0, spec.replicas ?? 0, false);
}
