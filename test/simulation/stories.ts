// Common scenarios of users, one request after the other; the cluster is idle before the next request.
import { configMaps } from "../../worker/kinds/core/config-map.ts";
import { daemonSets } from "../../worker/kinds/apps/daemon-set.ts";
import { deployments } from "../../worker/kinds/apps/deployment.ts";
import { jobs } from "../../worker/kinds/batch/job/job.ts";
import { namespaces } from "../../worker/kinds/core/namespace.ts";
import { podDisruptionBudgets } from "../../worker/kinds/policy/pod-disruption-budget.ts";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import { resourceQuotas } from "../../worker/kinds/core/resource-quota/resource-quota.ts";
import { services } from "../../worker/kinds/core/service/service.ts";
import { statefulSets } from "../../worker/kinds/apps/stateful-set.ts";
import type { Client } from "../../worker/registry/client.ts";
import { claimSpec } from "./users/sets.ts";
import { edit } from "./users/wish.ts";

/** The requests of a user, in order. The cluster comes to rest before the next one. */
export type Story = readonly ((client: Client) => void)[];

const namespace = "default";
const labels = { app: "web" };
const selector = { matchLabels: labels };
const templateOf = (image: string) => ({ metadata: { labels }, spec: { containers: [{ name: "main", image }] } });
const template = templateOf("nginx:1.25");
const named = { namespace, name: "web" };

function setImage(client: Client, kind: typeof deployments | typeof statefulSets | typeof daemonSets): void {
  // All three have a template at the same place.
  edit(client, kind as typeof deployments, namespace, "web", ({ spec }) => {
    for (const container of spec.template.spec.containers) container.image = "nginx:1.26";
  });
}

function createDeployment(client: Client, replicas: number, of = namespace): void {
  client.create(deployments, { metadata: { ...named, namespace: of }, spec: { replicas, selector, template } });
}

function evictOne(client: Client): void {
  const name = client.list(pods, { namespace })[0]?.metadata.name ?? "";
  client.act(pods, "eviction", namespace, name, { metadata: { name } });
}

export const stories: Readonly<Record<string, Story>> = {
  "a Deployment that is made, rolled out and deleted": [
    (client) => createDeployment(client, 2),
    (client) => setImage(client, deployments),
    (client) => client.delete(deployments, namespace, "web", { propagation: "Foreground" }),
  ],
  "a StatefulSet with claims that is made, rolled out, scaled and deleted": [
    (client) =>
      client.create(statefulSets, {
        metadata: named,
        spec: {
          replicas: 2,
          serviceName: "web",
          selector,
          template,
          volumeClaimTemplates: [{ metadata: { name: "data" }, spec: claimSpec() }],
          persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete", whenScaled: "Delete" },
        },
      }),
    (client) => setImage(client, statefulSets),
    (client) =>
      edit(client, statefulSets, namespace, "web", ({ spec }) => {
        spec.replicas = 1;
      }),
    (client) => client.delete(statefulSets, namespace, "web"),
  ],
  "a DaemonSet that is made and rolled out": [
    (client) => client.create(daemonSets, { metadata: named, spec: { selector, template } }),
    (client) => setImage(client, daemonSets),
  ],
  "a Job that ends, and one that fails": [
    (client) => createJob(client, "works", "true"),
    (client) => createJob(client, "fails", "false"),
    (client) => client.delete(jobs, namespace, "works"),
  ],
  "a namespace that is deleted with what is in it": [
    (client) => client.create(namespaces, { metadata: { name: "alpha" } }),
    (client) => createDeployment(client, 2, "alpha"),
    (client) => client.create(configMaps, { metadata: { namespace: "alpha", name: "settings" } }),
    (client) => client.delete(namespaces, "", "alpha"),
  ],
  "a service whose pods come, change and go": [
    (client) => client.create(services, { metadata: named, spec: { selector: labels, ports: [{ port: 80 }] } }),
    (client) => createDeployment(client, 2),
    (client) => client.delete(pods, namespace, client.list(pods, { namespace })[0]?.metadata.name ?? ""),
    (client) => client.delete(services, namespace, "web"),
  ],
  "pods that are evicted under a budget and a quota": [
    (client) => client.create(resourceQuotas, { metadata: named, spec: { hard: { pods: "5" } } }),
    (client) => client.create(podDisruptionBudgets, { metadata: named, spec: { selector, minAvailable: 1 } }),
    (client) => createDeployment(client, 2),
    evictOne,
  ],
};

function createJob(client: Client, name: string, command: string): void {
  const containers = [{ name: "main", image: "busybox:1", command: [command] }];
  client.create(jobs, {
    metadata: { namespace, name },
    spec: {
      completions: 2,
      parallelism: 2,
      completionMode: "Indexed",
      backoffLimit: 1,
      template: { spec: { restartPolicy: "Never", containers } },
    },
  });
}
