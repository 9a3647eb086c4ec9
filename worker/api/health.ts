// `/healthz`, `/livez` and `/readyz` with the checks that a stock API server names.

const checks = [
  "ping",
  "log",
  "etcd",
  "poststarthook/start-apiserver-admission-initializer",
  "poststarthook/generic-apiserver-start-informers",
  "poststarthook/priority-and-fairness-config-consumer",
  "poststarthook/priority-and-fairness-filter",
  "poststarthook/storage-object-count-tracker-hook",
  "poststarthook/start-apiextensions-informers",
  "poststarthook/start-apiextensions-controllers",
  "poststarthook/crd-informer-synced",
  "poststarthook/bootstrap-controller",
  "poststarthook/start-kube-aggregator-informers",
  "poststarthook/apiservice-registration-controller",
  "poststarthook/apiservice-discovery-controller",
  "autoregister-completion",
  "poststarthook/apiservice-openapi-controller",
];
const readinessOnly = ["informer-sync"];
const paths = ["/healthz", "/livez", "/readyz"];

/** The answer of a health path or of one check below it; undefined for any other path. */
export function health(path: string, query: URLSearchParams): Response | undefined {
  const root = paths.find((one) => path === one || path.startsWith(`${one}/`));
  if (!root) return undefined;
  const names = root === "/readyz" ? [...checks, ...readinessOnly, "shutdown"] : checks;
  const only = path.slice(root.length + 1);
  if (only !== "") return names.includes(only) ? plain("ok", 200) : undefined;
  if (!query.has("verbose")) return plain("ok", 200);
  const excluded = new Set(query.getAll("exclude"));
  const lines = names.map((name) => (excluded.has(name) ? `[+]${name} excluded: ok` : `[+]${name} ok`));
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
