// Short manifests of applications that lessons deploy, with the fields that decide whether they run.

interface Service {
  readonly name: string;
  readonly image: string;
  readonly port: number;
  /** The port that clients and other services of the application call. The default is the container's port. */
  readonly servicePort?: number;
  readonly labels?: Readonly<Record<string, string>>;
  /** Further lines of the container. */
  readonly container?: string;
  readonly replicas?: number;
  /** Pods of several Deployments stand behind one Service. */
  readonly behind?: string;
}

function documents(services: readonly Service[]): string {
  return services.flatMap((definition) => [deployment(definition), ...service(definition)]).join("---\n");
}

function deployment({ name, image, port, container = "", replicas = 1, behind = name, labels = {} }: Service): string {
  const ownLabels = JSON.stringify({ app: behind, own: name, ...labels });
  return `
apiVersion: apps/v1
kind: Deployment
metadata: { name: ${name} }
spec:
  replicas: ${replicas}
  selector: { matchLabels: ${ownLabels} }
  template:
    metadata: { labels: ${ownLabels} }
    spec:
      containers:
        - name: server
          image: ${image}
          ports: [{ containerPort: ${port} }]
${container
  .split("\n")
  .map((line) => `          ${line}`)
  .join("\n")}
`;
}

function service({ name, port, servicePort = port, behind }: Service): string[] {
  const podApp = behind ?? name;
  if (behind !== undefined && !name.endsWith("-v1")) return [];
  return [
    `
apiVersion: v1
kind: Service
metadata: { name: ${podApp} }
spec:
  selector: { app: ${podApp} }
  ports: [{ port: ${servicePort}, targetPort: ${port} }]
`,
  ];
}

const grpcProbe = (port: number) => `readinessProbe: { exec: { command: [/bin/grpc_health_probe, "-addr=:${port}"] } }
livenessProbe: { grpc: { port: ${port} } }`;

const shop = "us-central1-docker.pkg.dev/google-samples/microservices-demo";
const grpc: readonly [string, number, number?][] = [
  ["adservice", 9555],
  ["cartservice", 7070],
  ["checkoutservice", 5050],
  ["currencyservice", 7000],
  ["emailservice", 8080, 5000],
  ["paymentservice", 50051],
  ["productcatalogservice", 3550],
  ["recommendationservice", 8080],
  ["shippingservice", 50051],
];

export const boutique = documents([
  ...grpc.map(([name, port, servicePort = port]) => ({
    name,
    image: `${shop}/${name}:v0.10.2`,
    port,
    servicePort,
    container: grpcProbe(port),
  })),
  { name: "redis-cart", image: "redis:alpine", port: 6379, container: "readinessProbe: { tcpSocket: { port: 6379 } }" },
  {
    name: "frontend",
    image: `${shop}/frontend:v0.10.2`,
    port: 8080,
    servicePort: 80,
    container:
      'readinessProbe: { httpGet: { path: /_healthz, port: 8080, httpHeaders: [{ name: Cookie, value: "shop_session-id=x" }] } }',
  },
]);

const books = "docker.io/istio/examples-bookinfo";
const book = (name: string, version = "v1") => ({
  name: `${name}-${version}`,
  image: `${books}-${name}-${version}:1.20.1`,
  port: 9080,
  behind: name,
});

export const bookinfo = documents([
  book("details"),
  book("ratings"),
  book("reviews"),
  book("reviews", "v2"),
  book("reviews", "v3"),
  book("productpage"),
]);

const gke = "us-docker.pkg.dev/google-samples/containers/gke";

export const guestbook = documents([
  { name: "redis-leader", image: "docker.io/redis:6.0.5", port: 6379 },
  { name: "redis-follower", image: `${gke}/gb-redis-follower:v2`, port: 6379, replicas: 2 },
  { name: "frontend", image: `${gke}/gb-frontend:v5`, port: 80, replicas: 3 },
]);

const check = (path: string) =>
  `{ exec: { command: [podcli, check, http, "localhost:9898/${path}"] }, timeoutSeconds: 5 }`;

export const podinfo = documents([
  {
    name: "podinfo",
    image: "ghcr.io/stefanprodan/podinfo:6.7.1",
    port: 9898,
    container: `command: [./podinfo, --port=9898, --port-metrics=9797]
env: [{ name: PODINFO_UI_COLOR, value: "#34577c" }]
livenessProbe: ${check("healthz")}
readinessProbe: ${check("readyz")}`,
  },
]);

export const wordpress = documents([
  {
    name: "wordpress-mysql",
    image: "mysql:8.0",
    port: 3306,
    container:
      "env: [{ name: MYSQL_ROOT_PASSWORD, value: secret }, { name: MYSQL_DATABASE, value: wordpress }, { name: MYSQL_USER, value: wordpress }, { name: MYSQL_PASSWORD, value: secret }]",
  },
  {
    name: "wordpress",
    image: "wordpress:6.2.1-apache",
    port: 80,
    container:
      "env: [{ name: WORDPRESS_DB_HOST, value: wordpress-mysql }, { name: WORDPRESS_DB_USER, value: wordpress }, { name: WORDPRESS_DB_PASSWORD, value: secret }]",
  },
]);

export const small = documents([
  { name: "kubernetes-bootcamp", image: "gcr.io/google-samples/kubernetes-bootcamp:v1", port: 8080 },
  { name: "hello", image: "us-docker.pkg.dev/google-samples/containers/gke/hello-app:2.0", port: 8080 },
  { name: "hello-1", image: "gcr.io/google-samples/hello-app:1.0", port: 8080 },
]);

export const monitoring = documents([
  {
    name: "prometheus",
    image: "quay.io/prometheus/prometheus:v3.1.0",
    port: 9090,
    container: `args: [--web.listen-address=:9090]
readinessProbe: { httpGet: { path: /-/ready, port: 9090 } }
livenessProbe: { httpGet: { path: /-/healthy, port: 9090 } }`,
  },
  {
    name: "grafana",
    image: "grafana/grafana:11.5.0",
    port: 3000,
    container: "readinessProbe: { httpGet: { path: /api/health, port: 3000 } }",
  },
  { name: "kube-state-metrics", image: "registry.k8s.io/kube-state-metrics/kube-state-metrics:v2.15.0", port: 8443 },
  { name: "node-exporter", image: "quay.io/prometheus/node-exporter:v1.8.2", port: 9100 },
  { name: "operator", image: "quay.io/prometheus-operator/prometheus-operator:v0.79.2", port: 8443 },
  { name: "blackbox", image: "quay.io/prometheus/blackbox-exporter:v0.25.0", port: 9115 },
  { name: "proxy", image: "quay.io/brancz/kube-rbac-proxy:v0.18.2", port: 8444 },
]);
