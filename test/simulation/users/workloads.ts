// Actions of users on Deployments and ReplicaSets.
import type { Deployment, ReplicaSet } from "../../../shared/k8s/api/apps-v1.ts";
import type { PodSpec, PodTemplateSpec } from "../../../shared/k8s/api/core-v1.ts";
import { getControllerOf, type Draft } from "../../../shared/k8s/meta.ts";
import { deployments } from "../../../worker/kinds/apps/deployment.ts";
import { replicaSets } from "../../../worker/kinds/apps/replica-set.ts";
import type { Client } from "../../../worker/registry/client.ts";
import type { Dice } from "../dice.ts";
import { anyNamespace, type Draw, edit, nth } from "./wish.ts";

const names = ["web", "api", "job"] as const;
const images = ["nginx:1.25", "nginx:1.26", "nginx:1.27", "redis:7"] as const;
/** An image that cannot be pulled, and one whose program exits at once. */
const brokenImages = ["example.com/does-not-exist:1", "busybox:1"] as const;
const hashLabel = "pod-template-hash";

export const goodImage = images[0];

/** Reports whether the pod's containers restart forever. */
export function isBroken({ containers, restartPolicy }: PodSpec): boolean {
  return (
    restartPolicy !== "Never" &&
    containers.some(({ image }) => brokenImages.some((brokenImage) => brokenImage === image))
  );
}

export const propagations = ["Background", "Foreground", "Orphan"] as const;

export const createDeployment: Draw = (dice) => {
  const [namespace, name] = [anyNamespace(dice), dice.choose(...names)];
  const spec = deploymentSpec(name, dice);
  return {
    text: `create deployment ${namespace}/${name}`,
    ask: (client) => client.create(deployments, { metadata: { namespace, name, labels: { app: name } }, spec }),
  };
};

function deploymentSpec(name: string, dice: Dice): Draft<Deployment["spec"]> {
  const rollingUpdate = dice.choose(
    { maxSurge: "25%", maxUnavailable: "25%" },
    { maxSurge: 1, maxUnavailable: 0 },
    { maxSurge: 0, maxUnavailable: 1 },
    { maxSurge: "100%", maxUnavailable: "50%" },
  );
  return {
    replicas: dice.below(6),
    selector: { matchLabels: { app: name } },
    strategy: dice.chance(0.2) ? { type: "Recreate" } : { type: "RollingUpdate", rollingUpdate },
    minReadySeconds: dice.choose(0, 0, 0, 7),
    revisionHistoryLimit: dice.choose(10, 2, 0),
    progressDeadlineSeconds: dice.choose(600, 30),
    template: templateOf(name, anyImage(dice), dice),
  };
}

export function templateOf(name: string, image: string, dice: Dice): Draft<PodTemplateSpec> {
  return {
    metadata: { labels: { app: name } },
    spec: {
      terminationGracePeriodSeconds: dice.choose(30, 30, 5, 0),
      ...(dice.chance(0.2) ? { nodeSelector: { "kubernetes.io/hostname": `node-${1 + dice.below(3)}` } } : {}),
      ...(dice.chance(0.2) ? { tolerations: [{ key: "sim", operator: "Exists" }] } : {}),
      containers: [{ name: "main", image, resources: { requests: { cpu: dice.choose("100m", "500m") } } }],
    },
  };
}

export function anyImage(dice: Dice): string {
  return dice.chance(0.15) ? dice.choose(...brokenImages) : dice.choose(...images);
}

/** A wish about one Deployment that may be there. */
function aboutDeployment(
  verb: string,
  draw: (dice: Dice) => (client: Client, namespace: string, name: string) => void,
): Draw {
  return (dice) => {
    const [namespace, name] = [anyNamespace(dice), dice.choose(...names)];
    const act = draw(dice);
    return { text: `${verb} deployment ${namespace}/${name}`, ask: (client) => act(client, namespace, name) };
  };
}

function editDeployment(verb: string, draw: (dice: Dice) => (draft: Deployment) => void): Draw {
  return aboutDeployment(verb, (dice) => {
    const change = draw(dice);
    return (client, namespace, name) => edit(client, deployments, namespace, name, change);
  });
}

export const scaleDeployment = editDeployment("scale", (dice) => {
  const replicas = dice.below(8);
  return (draft) => {
    draft.spec.replicas = replicas;
  };
});

export const setImage = editDeployment("set image of", (dice) => {
  const image = anyImage(dice);
  return (draft) => {
    for (const container of draft.spec.template.spec.containers) container.image = image;
  };
});

export const setGoodImage = editDeployment("set image of", (dice) => {
  const image = dice.choose(...images);
  return (draft) => {
    for (const container of draft.spec.template.spec.containers) container.image = image;
  };
});

export const restartDeployment = editDeployment("restart", (dice) => {
  const mark = String(dice.below(1000));
  return ({ spec }) => {
    spec.template.metadata.annotations = { ...spec.template.metadata.annotations, restarted: mark };
  };
});

export const pauseOrResume = editDeployment("pause or resume", (dice) => {
  const paused = dice.chance(0.5);
  return (draft) => {
    if (paused) draft.spec.paused = true;
    else delete draft.spec.paused;
  };
});

export const changeStrategy = editDeployment("change the strategy of", (dice) => {
  const strategy: Deployment["spec"]["strategy"] = dice.chance(0.4)
    ? { type: "Recreate" }
    : { type: "RollingUpdate", rollingUpdate: { maxSurge: dice.below(3), maxUnavailable: 1 } };
  const limit = dice.below(3);
  return (draft) => {
    draft.spec.strategy = strategy;
    draft.spec.revisionHistoryLimit = limit;
  };
});

/** As `kubectl rollout undo` does: the template of an older ReplicaSet becomes the Deployment's. */
export const rollBack = aboutDeployment("roll back", (dice) => {
  const number = dice.below(100);
  return (client, namespace, name) => {
    const uid = client.get(deployments, namespace, name)?.metadata.uid;
    const older = uid === undefined ? undefined : nth(client.controlledBy(replicaSets, uid), number);
    if (older) edit(client, deployments, namespace, name, (draft) => undo(draft, older));
  };
});

function undo(draft: Deployment, older: ReplicaSet): void {
  const template = structuredClone(older.spec.template);
  delete template.metadata.labels?.[hashLabel];
  draft.spec.template = template;
}

export const deleteDeployment = aboutDeployment("delete", (dice) => {
  const propagation = dice.choose(...propagations);
  return (client, namespace, name) => client.delete(deployments, namespace, name, { propagation });
});

/** Adds a finalizer that keeps the object until it is removed. */
export const holdDeployment = editDeployment("hold", (dice) => {
  const holds = dice.chance(0.5);
  return ({ metadata }) => {
    if (holds && !metadata.deletionTimestamp) metadata.finalizers = ["test.sandbar.dev/hold"];
    else delete metadata.finalizers;
  };
});

export const createReplicaSet: Draw = (dice) => {
  const [namespace, name] = [anyNamespace(dice), dice.choose("alone", "other")];
  const replicas = dice.below(4);
  const template = templateOf(name, dice.choose(...images), dice);
  return {
    text: `create replicaset ${namespace}/${name}`,
    ask: (client) =>
      client.create(replicaSets, {
        metadata: { namespace, name, labels: { app: name } },
        spec: { replicas, selector: { matchLabels: { app: name } }, template },
      }),
  };
};

/** Any ReplicaSet: one's own, or one that a Deployment then makes again. */
export const deleteReplicaSet: Draw = (dice) => {
  const [namespace, number, propagation] = [anyNamespace(dice), dice.below(100), dice.choose(...propagations)];
  return {
    text: `delete replicaset ${number} of ${namespace}`,
    ask: (client) => {
      const replicaSet = nth(client.list(replicaSets, { namespace }), number);
      if (replicaSet) client.delete(replicaSets, namespace, replicaSet.metadata.name ?? "", { propagation });
    },
  };
};

/** Scales a ReplicaSet that has no Deployment, or one that its Deployment scales back at once. */
export const scaleReplicaSet: Draw = (dice) => {
  const [namespace, number, replicas] = [anyNamespace(dice), dice.below(100), dice.below(4)];
  return {
    text: `scale replicaset ${number} of ${namespace}`,
    ask: (client) => {
      const alone = client.list(replicaSets, { namespace }).filter((replicaSet) => !getControllerOf(replicaSet));
      const replicaSet = nth(alone, number);
      if (!replicaSet) return;
      edit(client, replicaSets, namespace, replicaSet.metadata.name ?? "", (draft) => {
        draft.spec.replicas = replicas;
      });
    },
  };
};
