// Serves `/healthz`, `/livez` and `/readyz` with the checks that a stock API server names.

const first = ["ping", "log"];
const hooks = [
  "start-apiserver-admission-initializer",
  "generic-apiserver-start-informers",
  "priority-and-fairness-config-consumer",
  "priority-and-fairness-filter",
  "storage-object-count-tracker-hook",
  "start-apiextensions-informers",
  "start-apiextensions-controllers",
  "crd-informer-synced",
  "start-system-namespaces-controller",
  "peer-endpoint-reconciler-controller",
  "start-cluster-authentication-info-controller",
  "start-kube-apiserver-identity-lease-controller",
  "start-kube-apiserver-identity-lease-garbage-collector",
  "storage-readiness",
  "start-legacy-token-tracking-controller",
  "start-service-ip-repair-controllers",
  "rbac/bootstrap-roles",
  "scheduling/bootstrap-system-priority-classes",
  "priority-and-fairness-config-producer",
  "bootstrap-controller",
  "start-kubernetes-service-cidr-controller",
  "aggregator-reload-proxy-client-cert",
  "start-kube-aggregator-informers",
  "apiservice-status-local-available-controller",
  "apiservice-status-remote-available-controller",
  "apiservice-registration-controller",
  "apiservice-discovery-controller",
  "kube-apiserver-autoregistration",
].map((name) => `poststarthook/${name}`);
const last = ["apiservice-openapi-controller", "apiservice-openapiv3-controller"].map(
  (name) => `poststarthook/${name}`,
);
const common = [...hooks, "autoregister-completion", ...last];
const living = [...first, "loopback-serving-certificate", "etcd", ...common];
const ready = [...first, "etcd", "etcd-readiness", "informer-sync", ...common, "shutdown"];
const checks: Readonly<Record<string, readonly string[]>> = { "/healthz": living, "/livez": living, "/readyz": ready };

export function healthPaths(): string[] {
  return Object.entries(checks).flatMap(([root, names]) => [root, ...names.map((name) => `${root}/${name}`)]);
}

/** Returns the checks by health path without its slash. */
export function healthChecks(): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(Object.entries(checks).map(([root, names]) => [root.slice(1), names]));
}

/** Serves a health path or one check below it; undefined for other paths. */
export function health(path: string, query: URLSearchParams): Response | undefined {
  for (const [root, names] of Object.entries(checks)) {
    if (path === root) return all(root, names, query);
    if (names.some((name) => path === `${root}/${name}`)) return plain("ok", 200);
  }
  return undefined;
}

function all(root: string, names: readonly string[], query: URLSearchParams): Response {
  if (!query.has("verbose")) return plain("ok", 200);
  const excluded = new Set(query.getAll("exclude"));
  const lines = names.map((name) => (excluded.has(name) ? `[+]${name} excluded: ok` : `[+]${name} ok`));
  const unknown = [...excluded].filter((name) => !names.includes(name)).sort();
  const quoted = unknown.map((name) => JSON.stringify(name)).join(",");
  if (quoted) lines.push(`warn: some health checks cannot be excluded: no matches for ${quoted}`);
  return plain(`${lines.join("\n")}\n${root.slice(1)} check passed\n`, 200);
}

function plain(text: string, status: number): Response {
  return new Response(text, {
    status,
    headers: {
      "content-type": "text/plain; charset=utf-8",
      "x-content-type-options": "nosniff",
      "cache-control": "no-cache, private",
    },
  });
}
