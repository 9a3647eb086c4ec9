// Actions of users on nodes, Services, namespaces and objects of controllers.
import type { Service, Taint } from "../../../shared/k8s/api/core-v1.ts";
import type { Draft } from "../../../shared/k8s/meta.ts";
import { configMaps } from "../../../worker/kinds/core/config-map.ts";
import { deployments } from "../../../worker/kinds/apps/deployment.ts";
import { namespaces } from "../../../worker/kinds/core/namespace.ts";
import { nodes } from "../../../worker/kinds/core/node/node.ts";
import { pods } from "../../../worker/kinds/core/pod/pod.ts";
import { services } from "../../../worker/kinds/core/service/service.ts";
import { anyNamespace, type Draw, edit, nth } from "./wish.ts";

const simulated = { "sandbar.dev/simulated": "true" };

export const cordon: Draw = (dice) => {
  const [name, unschedulable] = [`node-${1 + dice.below(4)}`, dice.chance(0.4)];
  return {
    text: `${unschedulable ? "cordon" : "uncordon"} ${name}`,
    ask: (client) =>
      edit(client, nodes, "", name, ({ spec }) => {
        if (unschedulable) spec.unschedulable = true;
        else delete spec.unschedulable;
      }),
  };
};

export const taint: Draw = (dice) => {
  const name = `node-${1 + dice.below(4)}`;
  const effect = dice.choose("NoSchedule" as const, "NoSchedule" as const, "NoExecute" as const);
  const ours: Taint[] = dice.chance(0.4) ? [{ key: "sim", value: "x", effect }] : [];
  return {
    text: `${ours.length > 0 ? "taint" : "untaint"} ${name}`,
    ask: (client) =>
      edit(client, nodes, "", name, ({ spec }) => {
        spec.taints = [...(spec.taints ?? []).filter(({ key }) => key !== "sim"), ...ours];
      }),
  };
};

export const createNode: Draw = (dice) => {
  const name = `node-${1 + dice.below(4)}`;
  return {
    text: `create ${name}`,
    ask: (client) => client.create(nodes, { metadata: { name, annotations: simulated } }),
  };
};

export const deleteNode: Draw = (dice) => {
  const name = `node-${1 + dice.below(4)}`;
  return { text: `delete ${name}`, ask: (client) => client.delete(nodes, "", name) };
};

/** Evicts all pods of a node, as `kubectl drain` does. */
export const drainNode: Draw = (dice) => {
  const name = `node-${1 + dice.below(4)}`;
  return {
    text: `drain ${name}`,
    ask: (client) => {
      edit(client, nodes, "", name, ({ spec }) => {
        spec.unschedulable = true;
      });
      for (const { metadata } of client.byIndexValue(pods, name)) {
        const [namespace, podName] = [metadata.namespace ?? "", metadata.name ?? ""];
        client.act(pods, "eviction", namespace, podName, { metadata: { namespace, name: podName } });
      }
    },
  };
};

export const createService: Draw = (dice) => {
  const [namespace, name] = [anyNamespace(dice), dice.choose("front", "back")];
  const spec: Draft<Service["spec"]> = {
    selector: { app: dice.choose("web", "api", "bare") },
    ports: [{ port: 80, targetPort: 8080 }],
    ...(dice.chance(0.2) ? { clusterIP: "None" } : { type: dice.choose("ClusterIP", "ClusterIP", "NodePort") }),
    ...(dice.chance(0.2) ? { publishNotReadyAddresses: true } : {}),
  };
  return {
    text: `create service ${namespace}/${name}`,
    ask: (client) => client.create(services, { metadata: { namespace, name }, spec }),
  };
};

export const changeService: Draw = (dice) => {
  const [namespace, name, app] = [anyNamespace(dice), dice.choose("front", "back"), dice.choose("web", "api", "job")];
  return {
    text: `select ${app} by service ${namespace}/${name}`,
    ask: (client) =>
      edit(client, services, namespace, name, ({ spec }) => {
        spec.selector = { app };
      }),
  };
};

export const deleteService: Draw = (dice) => {
  const [namespace, name] = [anyNamespace(dice), dice.choose("front", "back")];
  return {
    text: `delete service ${namespace}/${name}`,
    ask: (client) => client.delete(services, namespace, name),
  };
};

export const createNamespace: Draw = (dice) => {
  const name = dice.choose("alpha", "beta");
  return {
    text: `create namespace ${name}`,
    ask: (client) => client.create(namespaces, { metadata: { name } }),
  };
};

export const deleteNamespace: Draw = (dice) => {
  const name = dice.choose("alpha", "beta");
  return { text: `delete namespace ${name}`, ask: (client) => client.delete(namespaces, "", name) };
};

/** Creates a ConfigMap that is deleted together with its Deployment. */
export const createDependent: Draw = (dice) => {
  const [namespace, number, name] = [anyNamespace(dice), dice.below(100), `settings-${dice.below(3)}`];
  const blockOwnerDeletion = dice.chance(0.5);
  return {
    text: `create configmap ${namespace}/${name} of deployment ${number}`,
    ask: (client) => {
      const owner = nth(client.list(deployments, { namespace }), number);
      if (!owner) return;
      const { uid = "", name: ownerName = "" } = owner.metadata;
      const reference = { apiVersion: "apps/v1", kind: "Deployment", name: ownerName, uid, blockOwnerDeletion };
      client.create(configMaps, { metadata: { namespace, name, ownerReferences: [reference] }, data: { a: "b" } });
    },
  };
};
