// The metrics of the API server at `/metrics` in the text format of OpenMetrics. Counted in memory while the cluster is awake.
import { switchableGates } from "../../../shared/k8s/settings/feature-gates.ts";
import { internalHeaders } from "../../../shared/contract/cluster-object.ts";
import type { Registry } from "../../registry/registry.ts";
import type { RequestInfo } from "../request-info.ts";
import type { ApiServer } from "../api-server.ts";
import { healthChecks } from "./health.ts";
import { nominalSeats } from "./seats.ts";
import type { Release } from "../../../shared/k8s/settings/release.ts";
import { versionInfoOf } from "./version.ts";

type Labels = Readonly<Record<string, string>>;

interface Histogram {
  readonly labels: Labels;
  readonly counts: number[];
  sum: number;
  count: number;
}

/** Upstream's buckets in seconds. */
const buckets = [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60];
/** The maximum number of series, since clients can cause new ones. */
const seriesMax = 5000;
/** The maximum length of a series' labels, since paths can be long. */
const labelsMax = 1000;
const verbs: Readonly<Record<string, string>> = { create: "POST", update: "PUT" };

class RequestMetrics {
  readonly #startedMs: number;
  readonly #requests = new Map<string, { readonly labels: Labels; count: number }>();
  readonly #durations = new Map<string, Histogram>();
  readonly #inFlight = { mutating: 0, readOnly: 0 };

  constructor(startedMs: number) {
    this.#startedMs = startedMs;
  }

  /** Counts a request in flight until the returned function is called. */
  begin(request: Request, url: URL): (info: RequestInfo | undefined, code: number, ms: number) => void {
    const { method } = request;
    const kind = method === "GET" || method === "HEAD" ? "readOnly" : "mutating";
    this.#inFlight[kind]++;
    return (info, code, ms) => {
      this.#inFlight[kind]--;
      // A continued watch is not a new request.
      if (request.headers.has(internalHeaders.since)) return;
      // Unknown paths are not counted, since clients can invent any number of them.
      if (info && code !== 101 && (info.isResource || code !== 404)) this.#count(request, url, info, code, ms);
    };
  }

  #count(request: Request, url: URL, info: RequestInfo, code: number, ms: number): void {
    const values = valuesOf(request, url, info);
    // A path with line breaks has more of them than others, so it is never counted as one of those.
    const key = values.join("\n");
    const labels = () => Object.fromEntries(labelNames.map((name, at) => [name, values[at] ?? ""]));
    const counted = seriesOf(this.#requests, `${key}\n${code}`, () => ({
      labels: { ...labels(), code: String(code) },
      count: 0,
    }));
    if (counted) counted.count++;
    const [verb] = values;
    if (verb === "WATCH" || verb === "CONNECT") return;
    const seconds = ms / 1000;
    const histogram = seriesOf(this.#durations, key, () => ({
      labels: labels(),
      counts: buckets.map(() => 0),
      sum: 0,
      count: 0,
    }));
    if (!histogram) return;
    const at = buckets.findIndex((bucket) => seconds <= bucket);
    if (at >= 0) histogram.counts[at] = (histogram.counts[at] ?? 0) + 1;
    histogram.sum += seconds;
    histogram.count++;
  }

  /**
   * Returns the results of health checks. Each check counts as run once and passed, because nothing in an awake cluster can fail on its
   * own.
   */
  indicators(): string {
    const checks = Object.entries(healthChecks()).flatMap(([type, names]) => names.map((name) => ({ name, type })));
    const results = checks.map((labels) => sample("kubernetes_healthcheck", labels, 1));
    const totals = checks.map((labels) => sample("kubernetes_healthchecks_total", { ...labels, status: "success" }, 1));
    return [
      ...family("kubernetes_healthcheck", "gauge", "1 of each health check that passes.", results),
      ...family("kubernetes_healthchecks_total", "counter", "Health checks made, by their results.", totals),
      ...this.#started(),
      "",
    ].join("\n");
  }

  #started(): string[] {
    return family("process_start_time_seconds", "gauge", "When this began to run, in seconds since 1970.", [
      sample("process_start_time_seconds", {}, this.#startedMs / 1000),
    ]);
  }

  text(registry: Registry): string {
    const { mutating, readOnly } = this.#inFlight;
    const stored = registry.catalogue.storedKinds().map((kind) => ({ kind, count: registry.store.count(kind) }));
    return [
      ...family(
        "apiserver_current_inflight_requests",
        "gauge",
        "Requests being served, by whether they may change something.",
        [
          sample("apiserver_current_inflight_requests", { request_kind: "mutating" }, mutating),
          sample("apiserver_current_inflight_requests", { request_kind: "readOnly" }, readOnly),
        ],
      ),
      ...family(
        "apiserver_flowcontrol_nominal_limit_seats",
        "gauge",
        "Requests that a priority level's share of a server serves at once.",
        nominalSeats(registry, seriesMax).map(([priority_level, seats]) =>
          sample("apiserver_flowcontrol_nominal_limit_seats", { priority_level }, seats),
        ),
      ),
      ...family("apiserver_request_duration_seconds", "histogram", "Time to the answer, in seconds.", [
        ...[...this.#durations.values()].flatMap(histogramLines),
      ]),
      ...family(
        "apiserver_request_total",
        "counter",
        "Requests served, by what they asked for and the code of the answer.",
        [...[...this.#requests.values()].map(({ labels, count }) => sample("apiserver_request_total", labels, count))],
      ),
      ...family("apiserver_resource_objects", "gauge", "Objects stored, by group and resource.", [
        ...stored.map(({ kind: { group, plural }, count }) =>
          sample("apiserver_resource_objects", { group, resource: plural }, count),
        ),
      ]),
      ...family("apiserver_storage_objects", "gauge", "Objects stored, by resource.", [
        ...stored.map(({ kind, count }) => sample("apiserver_storage_objects", { resource: kind.resource }, count)),
      ]),
      ...family("kubernetes_build_info", "gauge", "Always 1; the labels say what is running.", [
        sample("kubernetes_build_info", buildLabels(registry.release), 1),
      ]),
      ...family("kubernetes_feature_enabled", "gauge", "Whether a feature gate that can be switched here is on.", [
        ...switchableGates.map((name) =>
          sample("kubernetes_feature_enabled", { name, stage: "BETA" }, Number(registry.features[name])),
        ),
      ]),
      ...this.#started(),
      "",
    ].join("\n");
  }
}

const byRegistry = new WeakMap<Registry, RequestMetrics>();

/** Returns the metrics of a cluster. They start again after an eviction, as after a restart of a server. */
export function metricsOf({ registry, nowMs }: Pick<ApiServer, "registry" | "nowMs">): RequestMetrics {
  const existing = byRegistry.get(registry);
  if (existing) return existing;
  const created = new RequestMetrics(nowMs());
  byRegistry.set(registry, created);
  return created;
}

export function metricsResponse(server: ApiServer): Response {
  return exposition(metricsOf(server).text(server.registry));
}

/** Serves `/metrics/slis`: the results of health checks. */
export function indicatorsResponse(server: ApiServer): Response {
  return exposition(metricsOf(server).indicators());
}

function exposition(text: string): Response {
  return new Response(text, {
    headers: {
      "content-type": "text/plain; version=0.0.4; charset=utf-8; escaping=underscores",
      "cache-control": "no-cache, private",
    },
  });
}

function buildLabels(release: Release): Labels {
  const version = versionInfoOf(release);
  return {
    build_date: version.buildDate,
    compiler: version.compiler,
    git_commit: version.gitCommit,
    git_tree_state: version.gitTreeState,
    git_version: version.gitVersion,
    go_version: version.goVersion,
    major: version.major,
    minor: version.minor,
    platform: version.platform,
  };
}

const labelNames = ["verb", "dry_run", "component", "group", "version", "resource", "subresource", "scope"];

/** Returns the values of `labelNames` for a request. */
function valuesOf({ method, headers }: Request, { search, searchParams }: URL, info: RequestInfo): readonly string[] {
  const dryRun = search !== "" && searchParams.has("dryRun") ? "All" : "";
  if (!info.isResource) return [method, dryRun, "", "", "", "", info.path, ""];
  const { group, version, plural, subresource, verb, name, namespace } = info;
  const isApply = verb === "patch" && (headers.get("content-type") ?? "").startsWith("application/apply-patch+yaml");
  const scope = name !== "" || verb === "create" ? "resource" : namespace !== "" ? "namespace" : "cluster";
  const upstreamVerb = isApply ? "APPLY" : (verbs[verb] ?? verb.toUpperCase());
  return [upstreamVerb, dryRun, "apiserver", group, version, plural, subresource, scope];
}

function seriesOf<T>(all: Map<string, T>, key: string, make: () => T): T | undefined {
  const existing = all.get(key);
  if (existing || all.size >= seriesMax || key.length > labelsMax) return existing;
  const created = make();
  all.set(key, created);
  return created;
}

function histogramLines({ labels, counts, sum, count }: Histogram): string[] {
  const name = "apiserver_request_duration_seconds";
  let below = 0;
  const lines = buckets.map((bucket, at) => {
    below += counts[at] ?? 0;
    return sample(`${name}_bucket`, { ...labels, le: String(bucket) }, below);
  });
  return [
    ...lines,
    sample(`${name}_bucket`, { ...labels, le: "+Inf" }, count),
    sample(`${name}_sum`, labels, sum),
    sample(`${name}_count`, labels, count),
  ];
}

function family(name: string, type: string, help: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines];
}

function sample(name: string, labels: Labels, value: number): string {
  const text = labelText(labels);
  return `${name}${text ? `{${text}}` : ""} ${value}`;
}

/** Prints labels sorted by name, as upstream does. */
function labelText(labels: Labels): string {
  return Object.keys(labels)
    .sort()
    .map((name) => `${name}=${JSON.stringify(labels[name])}`)
    .join(",");
}
