// Actions of users on claims, owner references, and pods with placement rules.
import type { Affinity, PodSpec } from "../../../shared/k8s/api/core-v1.ts";
import type { Draft, KubeObject } from "../../../shared/k8s/meta.ts";
import { configMaps } from "../../../worker/kinds/core/config-map.ts";
import type { Kind } from "../../../worker/kinds/kind.ts";
import { persistentVolumeClaims } from "../../../worker/kinds/core/persistent-volume-claim/persistent-volume-claim.ts";
import { pods } from "../../../worker/kinds/core/pod/pod.ts";
import { priorityClasses } from "../../../worker/kinds/scheduling/priority-class.ts";
import type { Dice } from "../dice.ts";
import { claimSpec } from "./sets.ts";
import { anyNamespace, type Draw, edit, namespaceNames } from "./wish.ts";
import { propagations } from "./workloads.ts";

const claimNames = ["disk", "store"] as const;
const linkNames = ["link-0", "link-1", "link-2", "link-3"] as const;

export const createClaim: Draw = (dice) => {
  const [namespace, name] = [anyNamespace(dice), dice.choose(...claimNames)];
  return {
    text: `create claim ${namespace}/${name}`,
    ask: (client) => client.create(persistentVolumeClaims, { metadata: { namespace, name }, spec: claimSpec() }),
  };
};

export const deleteClaim: Draw = (dice) => {
  const [namespace, name] = [anyNamespace(dice), dice.choose(...claimNames)];
  return {
    text: `delete claim ${namespace}/${name}`,
    ask: (client) => client.delete(persistentVolumeClaims, namespace, name),
  };
};

/** Creates a pod that runs to its end or forever, with a claim that may not exist (yet). */
export const createPodWithClaim: Draw = (dice) => {
  const [namespace, name, claimName] = [anyNamespace(dice), `bound-${dice.below(2)}`, dice.choose(...claimNames)];
  const command = dice.choose(["sleep", "3"], ["sleep", "inf"]);
  const spec: Draft<PodSpec> = {
    restartPolicy: "Never",
    terminationGracePeriodSeconds: 0,
    containers: [{ name: "main", image: "busybox:1", command, volumeMounts: [{ name: "data", mountPath: "/data" }] }],
    volumes: [{ name: "data", persistentVolumeClaim: { claimName } }],
  };
  return {
    text: `create pod ${namespace}/${name} with claim ${claimName}`,
    ask: (client) => client.create(pods, { metadata: { namespace, name, labels: { app: "bound" } }, spec }),
  };
};

export const createChoosyPod: Draw = (dice) => {
  const [namespace, name] = [anyNamespace(dice), `choosy-${dice.below(6)}`];
  const labels = { app: "choosy", kind: dice.choose("a", "b") };
  const [affinity, cpu] = [anyAffinity(dice), dice.choose("100m", "1500m", "3")];
  const ports = dice.chance(0.4) ? [{ containerPort: 80, hostPort: 8080 }] : [];
  const priorityClassName = dice.choose(undefined, undefined, "high", "low");
  const tolerations = dice.chance(0.3) ? [{ key: "sim", operator: "Exists" as const }] : [];
  const spec: Draft<PodSpec> = {
    affinity,
    ...(priorityClassName ? { priorityClassName } : {}),
    tolerations,
    terminationGracePeriodSeconds: dice.choose(30, 0),
    containers: [{ name: "main", image: "nginx:1.25", ports, resources: { requests: { cpu } } }],
  };
  return {
    text: `create pod ${namespace}/${name} ${JSON.stringify({ cpu, priorityClassName, ports: ports.length, affinity })}`,
    ask: (client) => client.create(pods, { metadata: { namespace, name, labels }, spec }),
  };
};

/** Draws an affinity from few nodes, so that constrained pods meet. */
function anyAffinity(dice: Dice): Draft<Affinity> {
  const required = <T>(value: T) => ({ requiredDuringSchedulingIgnoredDuringExecution: value });
  const hosts = dice.choose(["node-1"], ["node-1"], ["node-1", "node-2"], ["node-9"]);
  const operator = dice.chance(0.9) ? ("In" as const) : ("NotIn" as const);
  const matchExpressions = [{ key: "kubernetes.io/hostname", operator, values: hosts }];
  const labelSelector = { matchLabels: { kind: dice.choose("a", "b") } };
  const term = { topologyKey: "kubernetes.io/hostname", labelSelector };
  const isAverse = dice.chance(0.5);
  return {
    ...(dice.chance(0.7) ? { nodeAffinity: required({ nodeSelectorTerms: [{ matchExpressions }] }) } : {}),
    ...(dice.chance(0.4) ? { [isAverse ? "podAntiAffinity" : "podAffinity"]: required([term]) } : {}),
  };
}

export const createPriorityClass: Draw = (dice) => {
  const name = dice.choose("high", "low");
  const [value, preemptionPolicy] = [
    name === "high" ? 1000 : -10,
    dice.choose("PreemptLowerPriority" as const, "Never" as const),
  ];
  return {
    text: `create priorityclass ${name} (${preemptionPolicy})`,
    ask: (client) => client.create(priorityClasses, { metadata: { name }, value, preemptionPolicy }),
  };
};

/** Creates an object in a chain or a cycle of owners, or with an owner that is absent, in another namespace, or has another uid. */
export const createLink: Draw = (dice) => {
  const [namespace, name] = [anyNamespace(dice), dice.choose(...linkNames)];
  const draws = Array.from({ length: 1 + dice.below(2) }, () => anyReference(dice, namespace));
  return {
    text: `create configmap ${namespace}/${name} of ${draws.map(({ text }) => text).join(" and ")}`,
    ask: (client) => {
      const ownerReferences = draws.map(({ namespace: of, owner, blockOwnerDeletion, stray }) => {
        const uid = client.get(configMaps, of, owner)?.metadata.uid;
        return {
          apiVersion: "v1",
          kind: "ConfigMap",
          name: owner,
          uid: stray || uid === undefined ? "00000000-0000-4000-8000-000000000000" : uid,
          blockOwnerDeletion,
        };
      });
      const configMap = client.get(configMaps, namespace, name);
      if (!configMap) client.create(configMaps, { metadata: { namespace, name, ownerReferences } });
      else {
        edit(client, configMaps, namespace, name, ({ metadata }) => {
          metadata.ownerReferences = ownerReferences;
        });
      }
    },
  };
};

function anyReference(dice: Dice, namespace: string) {
  const owner = dice.choose(...linkNames);
  // An owner in another namespace counts as absent.
  const of = dice.chance(0.9) ? namespace : dice.choose(...namespaceNames);
  const stray = dice.chance(0.1);
  return { text: `${of}/${owner}`, namespace: of, owner, stray, blockOwnerDeletion: dice.chance(0.5) };
}

export const createRoot: Draw = (dice) => {
  const [namespace, name] = [anyNamespace(dice), dice.choose(...linkNames)];
  return {
    text: `create configmap ${namespace}/${name}`,
    ask: (client) => client.create(configMaps, { metadata: { namespace, name } }),
  };
};

export const deleteLink = deletionOf(configMaps, linkNames);

function deletionOf<T extends KubeObject>(kind: Kind<T>, names: readonly [string, ...string[]]): Draw {
  return (dice) => {
    const [namespace, name, propagation] = [anyNamespace(dice), dice.choose(...names), dice.choose(...propagations)];
    return {
      text: `delete ${kind.kind.toLowerCase()} ${namespace}/${name} (${propagation})`,
      ask: (client) => client.delete(kind, namespace, name, { propagation }),
    };
  };
}
