// Creates a StatefulSet and a headless Service for each Prometheus and each Alertmanager, while their operator runs in the cluster. Ignores rules,
// monitors and configurations.
import * as z from "zod";
import type { Deployment } from "../../../../shared/k8s/api/apps-v1.ts";
import type { Container } from "../../../../shared/k8s/api/core-v1.ts";
import type { KubeObject } from "../../../../shared/k8s/meta.ts";
import { deployments } from "../../../kinds/apps/deployment.ts";
import { statefulSets } from "../../../kinds/apps/stateful-set.ts";
import { services } from "../../../kinds/core/service/service.ts";
import type { Client } from "../../../registry/client.ts";
import { defineController, type Request, watch } from "../../../runtime/controller.ts";
import { isAvailable, isRun, runsImage } from "../common/running-image.ts";

const version = "monitoring.coreos.com/v1";
const image = /\/prometheus-operator(:|@|$)/;
const reloader = "quay.io/prometheus-operator/prometheus-config-reloader:v0.87.0";
/** The facts of each kind, by its plural name. */
const served = {
  prometheuses: { app: "prometheus", kind: "Prometheus", port: 9090, path: "/-/ready", newest: "v3.7.3" },
  alertmanagers: { app: "alertmanager", kind: "Alertmanager", port: 9093, path: "/-/ready", newest: "v0.29.0" },
} as const;
type Plural = keyof typeof served;
const plurals: readonly Plural[] = ["prometheuses", "alertmanagers"];

const specSchema = z.object({
  replicas: z.number().int().min(0).max(100).default(1),
  image: z.string().optional(),
  version: z.string().optional(),
  serviceAccountName: z.string().optional(),
  podMetadata: z
    .object({
      labels: z.record(z.string(), z.string()).default({}),
      annotations: z.record(z.string(), z.string()).default({}),
    })
    .default({ labels: {}, annotations: {} }),
});

export const prometheusOperator = defineController({
  name: "simulated-prometheus-operator",
  user: "system:serviceaccount:kube-system:prometheus-operator",
  component: "prometheus-operator",
  watches: [
    watch<Deployment>(deployments, function* (next, previous, client): Generator<Request> {
      if (!runsImage(next, image) || isAvailable(next) === isAvailable(previous)) return;
      for (const plural of plurals) {
        const kind = client.kindAt(version, plural);
        if (kind) for (const { metadata } of client.each(kind)) yield requestFor(plural, metadata);
      }
    }),
  ],
  watchesOf: (kind) => {
    const plural = plurals.find((candidate) => candidate === kind.plural);
    if (!plural || `${kind.group}/${kind.version}` !== version) return [];
    return [
      watch<KubeObject>(kind, function* (next): Generator<Request> {
        if (next) yield requestFor(plural, next.metadata);
      }),
    ];
  },
  reconcile({ namespace, name }, { client }) {
    const slash = name.indexOf("/");
    const plural = plurals.find((candidate) => candidate === name.slice(0, slash));
    const kind = plural && client.kindAt(version, plural);
    const object = kind && client.get(kind, namespace, name.slice(slash + 1));
    if (!plural || !object || object.metadata.deletionTimestamp || !isRun(client, image)) return undefined;
    const spec = specSchema.safeParse((object as { readonly spec?: unknown }).spec ?? {});
    if (spec.success) serve(client, plural, object, spec.data);
    return undefined;
  },
});

function requestFor(plural: Plural, { namespace = "", name = "" }: KubeObject["metadata"]): Request {
  return { namespace, name: `${plural}/${name}` };
}

function serve(client: Client, plural: Plural, { metadata }: KubeObject, spec: z.infer<typeof specSchema>): void {
  const { app, kind, port, path, newest } = served[plural];
  const { namespace = "", name = "", uid = "" } = metadata;
  const objectName = `${app}-${name}`;
  const labels = {
    "app.kubernetes.io/instance": name,
    "app.kubernetes.io/managed-by": "prometheus-operator",
    "app.kubernetes.io/name": app,
    [app]: name,
  };
  const ownerReferences = [{ apiVersion: version, kind, name, uid, controller: true, blockOwnerDeletion: true }];
  const serviceName = `${app}-operated`;
  if (!client.get(services, namespace, serviceName)) {
    const selector = { "app.kubernetes.io/name": app };
    const ports = [{ name: "web", port, targetPort: "web", protocol: "TCP" as const }];
    client.create(services, {
      metadata: {
        name: serviceName,
        namespace,
        ownerReferences: ownerReferences.map(({ controller: _, ...reference }) => reference),
      },
      spec: { clusterIP: "None", selector, ports },
    });
  }
  const statefulSet = client.get(statefulSets, namespace, objectName);
  if (statefulSet) {
    if (statefulSet.spec.replicas !== spec.replicas)
      client.update(statefulSets, { ...statefulSet, spec: { ...statefulSet.spec, replicas: spec.replicas } });
    return;
  }
  const tag = spec.version === undefined ? newest : `v${spec.version.replace(/^v/, "")}`;
  const probe = { httpGet: { path, port: "web" }, periodSeconds: 5, failureThreshold: 3, timeoutSeconds: 3 };
  const main = {
    name: app,
    image: spec.image ?? `quay.io/prometheus/${app}:${tag}`,
    ports: [{ name: "web", containerPort: port, protocol: "TCP" as const }],
    readinessProbe: probe,
    resources: {},
  };
  const beside: Container = {
    name: "config-reloader",
    image: reloader,
    ports: [{ name: "reloader-web", containerPort: 8080, protocol: "TCP" }],
    resources: {},
  };
  const { annotations } = spec.podMetadata;
  const account = spec.serviceAccountName === undefined ? {} : { serviceAccountName: spec.serviceAccountName };
  client.create(statefulSets, {
    metadata: { name: objectName, namespace, labels, ownerReferences },
    spec: {
      replicas: spec.replicas,
      serviceName,
      podManagementPolicy: "Parallel",
      selector: { matchLabels: labels },
      template: {
        metadata: { labels: { ...spec.podMetadata.labels, ...labels }, annotations },
        spec: { ...account, containers: [main, beside] },
      },
    },
  });
}
