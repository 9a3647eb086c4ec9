// Built-in templates for courses, available to every tenant.
import { type TemplateParts, templateParts } from "../../../../shared/contract/template.ts";

export interface BuiltInTemplate {
  readonly name: string;
  readonly version: number;
  readonly description: string;
  readonly content: TemplateParts;
}

function builtIn(name: string, description: string, content: Partial<TemplateParts>): BuiltInTemplate {
  return { name, version: 1, description, content: templateParts.parse(content) };
}

interface App {
  readonly name: string;
  readonly image: string;
  readonly replicas: number;
  readonly port: number;
  readonly namespace?: string;
  /** Additional lines of the container, indented as in the manifest. */
  readonly more?: readonly string[];
}

/** Returns the manifests of a Deployment and its Service. */
function app({ name, image, replicas, port, namespace = "default", more = [] }: App): string {
  return [
    "apiVersion: apps/v1",
    "kind: Deployment",
    `metadata: {name: ${name}, namespace: ${namespace}, labels: {app: ${name}}}`,
    "spec:",
    `  replicas: ${replicas}`,
    `  selector: {matchLabels: {app: ${name}}}`,
    "  template:",
    `    metadata: {labels: {app: ${name}}}`,
    "    spec:",
    "      containers:",
    `      - name: ${name}`,
    `        image: ${image}`,
    `        ports: [{containerPort: ${port}}]`,
    ...more,
    "---",
    "apiVersion: v1",
    "kind: Service",
    `metadata: {name: ${name}, namespace: ${namespace}, labels: {app: ${name}}}`,
    `spec: {selector: {app: ${name}}, ports: [{port: ${port}}]}`,
  ].join("\n");
}

function namespace(name: string): string {
  return `apiVersion: v1\nkind: Namespace\nmetadata: {name: ${name}}`;
}

const documents = (...all: readonly string[]) => all.join("\n---\n");
const web = app({ name: "web", image: "nginx:1.29", replicas: 3, port: 80 });

const quota = [
  "apiVersion: v1",
  "kind: ResourceQuota",
  "metadata: {name: team, namespace: team}",
  'spec: {hard: {pods: "4", requests.cpu: "1", requests.memory: 1Gi}}',
  "---",
  "apiVersion: v1",
  "kind: LimitRange",
  "metadata: {name: usual, namespace: team}",
  "spec: {limits: [{type: Container, default: {cpu: 500m, memory: 256Mi}, defaultRequest: {cpu: 200m, memory: 128Mi}}]}",
].join("\n");

const stateful = [
  "apiVersion: v1",
  "kind: Service",
  "metadata: {name: store}",
  "spec: {clusterIP: None, selector: {app: store}, ports: [{port: 6379}]}",
  "---",
  "apiVersion: apps/v1",
  "kind: StatefulSet",
  "metadata: {name: store}",
  "spec:",
  "  serviceName: store",
  "  replicas: 3",
  "  selector: {matchLabels: {app: store}}",
  "  template:",
  "    metadata: {labels: {app: store}}",
  "    spec:",
  "      containers:",
  "      - name: redis",
  "        image: redis:8",
  "        ports: [{containerPort: 6379}]",
  "        volumeMounts: [{name: data, mountPath: /data}]",
  "  volumeClaimTemplates:",
  "  - metadata: {name: data}",
  "    spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}",
].join("\n");

/** The templates in the order of the list. A changed template gets the next version. */
export const builtInTemplates: readonly BuiltInTemplate[] = [
  builtIn("empty", "A cluster with one node and nothing on it.", { nodes: 1 }),
  builtIn("three-nodes", "Three nodes and nothing on them.", { nodes: 3 }),
  builtIn("guestbook", "The guestbook: a web frontend, and Redis with a leader and two followers.", {
    manifests: documents(
      app({ name: "redis-leader", image: "redis:8", replicas: 1, port: 6379 }),
      app({ name: "redis-follower", image: "redis:8", replicas: 2, port: 6379 }),
      app({ name: "frontend", image: "nginx:1.29", replicas: 3, port: 80 }),
    ),
  }),
  builtIn(
    "broken-rollout",
    "A deployment whose new revision cannot be pulled; the old one goes on. To be found and taken back.",
    {
      manifests: web,
      incidents: [{ type: "bad_image", kind: "Deployment", namespace: "default", name: "web", image: "nginx:9.99" }],
    },
  ),
  builtIn("crash-loop", "A deployment whose container ends as soon as it starts: its logs and events say why.", {
    manifests: documents(
      web,
      app({
        name: "worker",
        image: "busybox:1.37",
        replicas: 1,
        port: 8080,
        more: ['        command: ["sleep", "infinity"]'],
      }),
    ),
    incidents: [{ type: "crash_loop", kind: "Deployment", namespace: "default", name: "worker" }],
  }),
  builtIn(
    "mixed-nodes",
    "Four nodes of two zones, one with a GPU and a taint: for scheduling, affinity and spreading.",
    {
      nodes: [
        { labels: { "topology.kubernetes.io/zone": "zone-a" }, taints: [], capacity: {} },
        { labels: { "topology.kubernetes.io/zone": "zone-a", disk: "ssd" }, taints: [], capacity: {} },
        { labels: { "topology.kubernetes.io/zone": "zone-b" }, taints: [], capacity: { cpu: "8", memory: "32Gi" } },
        {
          name: "gpu-1",
          labels: { "topology.kubernetes.io/zone": "zone-b", accelerator: "gpu" },
          taints: [{ key: "example.com/gpu", value: "true", effect: "NoSchedule" }],
          capacity: { "example.com/gpu": "2" },
        },
      ],
    },
  ),
  builtIn(
    "team-quota",
    "A namespace with a quota and usual limits, and a developer who may edit there and nowhere else.",
    {
      manifests: documents(
        namespace("team"),
        quota,
        app({ name: "api", image: "nginx:1.29", replicas: 2, port: 80, namespace: "team" }),
      ),
      users: [{ user: "dev", groups: [], role: "edit", namespace: "team" }],
    },
  ),
  builtIn("stateful", "A StatefulSet with a claim of its own for each pod, behind a headless Service.", {
    manifests: stateful,
  }),
];
