// Actions of users on pods.
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import { pods } from "../../../worker/kinds/core/pod/pod.ts";
import { replicaSets } from "../../../worker/kinds/apps/replica-set.ts";
import type { Client } from "../../../worker/registry/client.ts";
import type { Dice } from "../dice.ts";
import { anyNamespace, type Draw, edit, nth } from "./wish.ts";

function aboutPod(verb: string, draw: (dice: Dice) => (client: Client, pod: Pod) => void): Draw {
  return (dice) => {
    const [namespace, number] = [anyNamespace(dice), dice.below(1000)];
    const act = draw(dice);
    return {
      text: `${verb} pod ${number} of ${namespace}`,
      ask: (client) => {
        const pod = nth(client.list(pods, { namespace }), number);
        if (pod) act(client, pod);
      },
    };
  };
}

const where = ({ metadata }: Pod): [string, string] => [metadata.namespace ?? "", metadata.name ?? ""];

export const deletePod = aboutPod("delete", (dice) => {
  const grace = dice.choose(undefined, 0, 5, 60);
  return (client, pod) => client.delete(pods, ...where(pod), grace === undefined ? {} : { gracePeriodSeconds: grace });
});

export const evictPod = aboutPod("evict", () => (client, pod) => {
  const [namespace, name] = where(pod);
  client.act(pods, "eviction", namespace, name, { metadata: { namespace, name } });
});

/** Changes a pod's labels, so that its ReplicaSet releases it and creates another. */
export const releasePod = aboutPod("release", (dice) => {
  const app = dice.choose("released", "quarantined");
  return (client, pod) =>
    edit(client, pods, ...where(pod), (draft) => {
      draft.metadata.labels = { ...draft.metadata.labels, app };
    });
});

export const holdPod = aboutPod("hold", (dice) => {
  const holds = dice.chance(0.5);
  return (client, pod) =>
    edit(client, pods, ...where(pod), ({ metadata }) => {
      if (holds && !metadata.deletionTimestamp) metadata.finalizers = ["test.sandbar.dev/hold"];
      else delete metadata.finalizers;
    });
});

/** Creates an orphan with a ReplicaSet's labels, which adopts it and has one pod too many. */
export const createMatchingPod: Draw = (dice) => {
  const [namespace, number, name] = [anyNamespace(dice), dice.below(100), `stray-${dice.below(4)}`];
  return {
    text: `create pod ${namespace}/${name} like one of replicaset ${number}`,
    ask: (client) => {
      const replicaSet = nth(client.list(replicaSets, { namespace }), number);
      if (!replicaSet) return;
      client.create(pods, {
        metadata: { namespace, name, labels: replicaSet.spec.selector?.matchLabels ?? {} },
        spec: { containers: [{ name: "main", image: "nginx:1.25" }] },
      });
    },
  };
};

/** Creates a pod without a controller, which runs to its end. */
export const createBarePod: Draw = (dice) => {
  const [namespace, name] = [anyNamespace(dice), `bare-${dice.below(4)}`];
  const command = dice.choose(["sleep", "3"], ["false"], ["sleep", "inf"]);
  return {
    text: `create pod ${namespace}/${name}`,
    ask: (client) =>
      client.create(pods, {
        metadata: { namespace, name, labels: { app: "bare" } },
        spec: { restartPolicy: "Never", containers: [{ name: "main", image: "busybox:1", command }] },
      }),
  };
};
