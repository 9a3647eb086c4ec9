// Actions of users on StatefulSets, DaemonSets and ReplicationControllers.
import type { DaemonSet, StatefulSet } from "../../../shared/k8s/api/apps-v1.ts";
import type { ReplicationController } from "../../../shared/k8s/api/core-v1.ts";
import type { Draft, KubeObject } from "../../../shared/k8s/meta.ts";
import { daemonSets } from "../../../worker/kinds/apps/daemon-set.ts";
import type { Kind } from "../../../worker/kinds/kind.ts";
import { replicationControllers } from "../../../worker/kinds/core/replication-controller.ts";
import { statefulSets } from "../../../worker/kinds/apps/stateful-set.ts";
import type { Dice } from "../dice.ts";
import { anyNamespace, type Draw, edit } from "./wish.ts";
import { anyImage, propagations, templateOf } from "./workloads.ts";

const statefulNames = ["db", "queue"] as const;
const daemonNames = ["agent", "proxy"] as const;
const replicationNames = ["old", "older"] as const;

export const createStatefulSet: Draw = (dice) => {
  const [namespace, name] = [anyNamespace(dice), dice.choose(...statefulNames)];
  const spec = statefulSpec(name, dice);
  return {
    text: `create statefulset ${namespace}/${name}`,
    ask: (client) => client.create(statefulSets, { metadata: { namespace, name }, spec }),
  };
};

function statefulSpec(name: string, dice: Dice): Draft<StatefulSet["spec"]> {
  const whenScaled = dice.choose("Retain" as const, "Delete" as const);
  const whenDeleted = dice.choose("Retain" as const, "Delete" as const);
  const claim = { metadata: { name: "data" }, spec: claimSpec() };
  const partition = dice.choose(0, 0, 1);
  return {
    replicas: dice.below(4),
    serviceName: name,
    podManagementPolicy: dice.choose("OrderedReady", "OrderedReady", "Parallel"),
    selector: { matchLabels: { app: name } },
    template: templateOf(name, anyImage(dice), dice),
    updateStrategy: dice.chance(0.2) ? { type: "OnDelete" } : { type: "RollingUpdate", rollingUpdate: { partition } },
    revisionHistoryLimit: dice.choose(10, 1),
    minReadySeconds: dice.choose(0, 0, 0, 5),
    ...(dice.chance(0.2) ? { ordinals: { start: 2 } } : {}),
    ...(dice.chance(0.3)
      ? { volumeClaimTemplates: [claim], persistentVolumeClaimRetentionPolicy: { whenScaled, whenDeleted } }
      : {}),
  };
}

export function claimSpec() {
  return { accessModes: ["ReadWriteOnce" as const], resources: { requests: { storage: "1Gi" } } };
}

export const createDaemonSet: Draw = (dice) => {
  const [namespace, name] = [anyNamespace(dice), dice.choose(...daemonNames)];
  const rollingUpdate = dice.choose(
    { maxUnavailable: 1 },
    { maxUnavailable: 0, maxSurge: 1 },
    { maxUnavailable: "50%" },
  );
  const spec: Draft<DaemonSet["spec"]> = {
    selector: { matchLabels: { app: name } },
    template: templateOf(name, anyImage(dice), dice),
    updateStrategy: dice.chance(0.2) ? { type: "OnDelete" } : { type: "RollingUpdate", rollingUpdate },
    minReadySeconds: dice.choose(0, 0, 5),
  };
  return {
    text: `create daemonset ${namespace}/${name}`,
    ask: (client) => client.create(daemonSets, { metadata: { namespace, name }, spec }),
  };
};

export const createReplicationController: Draw = (dice) => {
  const [namespace, name, replicas] = [anyNamespace(dice), dice.choose(...replicationNames), dice.below(4)];
  const spec: Draft<ReplicationController["spec"]> = {
    replicas,
    selector: { app: name },
    template: templateOf(name, anyImage(dice), dice),
  };
  return {
    text: `create replicationcontroller ${namespace}/${name}`,
    ask: (client) => client.create(replicationControllers, { metadata: { namespace, name }, spec }),
  };
};

/** A wish about one that may be there. */
function change<T extends KubeObject>(
  verb: string,
  kind: Kind<T>,
  names: readonly [string, ...string[]],
  draw: (dice: Dice) => (draft: T) => void,
): Draw {
  return (dice) => {
    const [namespace, name] = [anyNamespace(dice), dice.choose(...names)];
    const act = draw(dice);
    return {
      text: `${verb} ${kind.kind.toLowerCase()} ${namespace}/${name}`,
      ask: (client) => edit(client, kind, namespace, name, act),
    };
  };
}

function deletion(kind: Kind, names: readonly [string, ...string[]]): Draw {
  return (dice) => {
    const [namespace, name] = [anyNamespace(dice), dice.choose(...names)];
    const propagation = dice.choose(...propagations);
    return {
      text: `delete ${kind.kind.toLowerCase()} ${namespace}/${name} (${propagation})`,
      ask: (client) => client.delete(kind, namespace, name, { propagation }),
    };
  };
}

const scaled = (dice: Dice) => {
  const replicas = dice.below(5);
  return ({ spec }: { spec: { replicas?: number } }) => {
    spec.replicas = replicas;
  };
};

const withImage = (dice: Dice) => {
  const image = anyImage(dice);
  return ({ spec: { template } }: { spec: { template: { spec: { containers: { image?: string }[] } } } }) => {
    for (const container of template.spec.containers) container.image = image;
  };
};

export const scaleStatefulSet = change("scale", statefulSets, statefulNames, scaled);
export const setStatefulImage = change("set image of", statefulSets, statefulNames, withImage);
export const setPartition = change("set partition of", statefulSets, statefulNames, (dice) => {
  const partition = dice.below(3);
  return ({ spec }) => {
    spec.updateStrategy = { type: "RollingUpdate", rollingUpdate: { partition } };
  };
});
export const deleteStatefulSet = deletion(statefulSets, statefulNames);

export const setDaemonImage = change("set image of", daemonSets, daemonNames, withImage);
export const moveDaemonSet = change("choose nodes of", daemonSets, daemonNames, (dice) => {
  const hostname = dice.choose(undefined, "node-1", "node-2");
  return ({ spec: { template } }) => {
    if (hostname === undefined) delete template.spec.nodeSelector;
    else template.spec.nodeSelector = { "kubernetes.io/hostname": hostname };
  };
});
export const deleteDaemonSet = deletion(daemonSets, daemonNames);

export const scaleReplicationController = change("scale", replicationControllers, replicationNames, (dice) => {
  const replicas = dice.below(5);
  return ({ spec }) => {
    spec.replicas = replicas;
  };
});
export const deleteReplicationController = deletion(replicationControllers, replicationNames);
