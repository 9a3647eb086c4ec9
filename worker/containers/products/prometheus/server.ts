// Prometheus: its probes, and the API calls whose answers follow from the cluster: the targets and whether they are up.
import { before } from "../../../../shared/base/trim.ts";
import type { Page, Visit } from "../../shell/server.ts";
import { textPage } from "../common/service-client.ts";
import { type Scrape, scrapesOf } from "./scrapes.ts";

const plain = "text/plain; charset=utf-8";

/** The only target without a monitor: Prometheus itself. */
const itself: Scrape = {
  job: "prometheus",
  namespace: "",
  service: "",
  pod: "",
  endpoint: "",
  instance: "localhost:9090",
  url: "http://localhost:9090/metrics",
  isUp: true,
};

export function prometheusPage(visit: Visit): Page {
  const { path, method, body, image } = visit;
  const bare = before(path, "?#");
  if (bare === "/-/ready") return textPage("Prometheus Server is Ready.\n", plain);
  if (bare === "/-/healthy") return textPage("Prometheus Server is Healthy.\n", plain);
  if (bare === "/metrics")
    return textPage(
      "# HELP prometheus_ready Whether Prometheus startup was fully completed and the server is ready for normal operation.\n# TYPE prometheus_ready gauge\nprometheus_ready 1\n",
      plain,
    );
  if (bare === "/") return { ...textPage("", "text/html; charset=utf-8", 302), headers: [["Location", "/query"]] };
  const form = new URLSearchParams(method === "POST" ? body : path.slice(bare.length + 1));
  const { cluster } = visit;
  const scrapes = cluster ? scrapesOf(cluster.client, (units) => cluster.pays(units)) : [];
  const targets = scrapes.length > 0 ? scrapes : [itself];
  switch (bare) {
    case "/api/v1/query":
    case "/api/v1/query_range":
      return query(form.get("query") ?? "", targets, visit.nowMs, bare.endsWith("range"));
    case "/api/v1/targets":
      return success({ activeTargets: targets.map(targetOf), droppedTargets: [], droppedTargetCounts: {} });
    case "/api/v1/label/__name__/values":
      return success(["up"]);
    case "/api/v1/label/job/values":
      return success([...new Set(targets.map(({ job }) => job))].sort());
    case "/api/v1/labels":
      return success(["__name__", ...Object.keys(labelsOf(itself)), "endpoint", "namespace", "pod", "service"].sort());
    case "/api/v1/alerts":
      return success({ alerts: [] });
    case "/api/v1/rules":
      return success({ groups: [] });
    case "/api/v1/alertmanagers":
      return success({ activeAlertmanagers: [], droppedAlertmanagers: [] });
    case "/api/v1/status/buildinfo":
      return success({ version: /:v?(\d+\.\d+\.\d+)/.exec(image)?.[1] ?? "3.7.3", goVersion: "go1.25.3" });
    default:
  }
  if (bare.startsWith("/api/")) return textPage("404 page not found\n", plain, 404);
  return textPage(
    '<!doctype html>\n<html lang="en">\n<head><title>Prometheus Time Series Collection and Processing Server</title></head>\n<body><p>The pages of Prometheus are not simulated in this sandbox. Its API is at /api/v1: query?query=up, targets.</p></body>\n</html>\n',
  );
}

function success(data: unknown): Page {
  return textPage(JSON.stringify({ status: "success", data }), "application/json");
}

function errorPage(error: string): Page {
  return textPage(JSON.stringify({ status: "error", errorType: "bad_data", error }), "application/json", 400);
}

function labelsOf({ job, namespace, service, pod, endpoint, instance }: Scrape): Record<string, string> {
  const all = { endpoint, instance, job, namespace, pod, service };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ""));
}

function targetOf(target: Scrape): object {
  return {
    discoveredLabels: {},
    labels: labelsOf(target),
    scrapePool: target.job,
    scrapeUrl: target.url,
    globalUrl: target.url,
    lastError: target.isUp ? "" : "connection refused",
    health: target.isUp ? "up" : "down",
    scrapeInterval: "30s",
    scrapeTimeout: "10s",
  };
}

/** Evaluates `up` with matchers, counted or summed. Other series have no samples. */
function query(text: string, targets: readonly Scrape[], nowMs: number, isRange: boolean): Page {
  const words = text.trim();
  if (words === "")
    return errorPage('invalid parameter "query": unknown position: parse error: no expression found in input');
  const [, how, , inside = "", condition] =
    /^(?:(count|sum) ?\( ?)?(up)(?:\{([^{}]*)\})? ?\)? ?(== ?[01])?$/.exec(words) ?? [];
  const isUp = /^(?:(?:count|sum) ?\( ?)?up\b/.test(words);
  const samples = isUp ? targets.filter((target) => matches(target, inside)) : [];
  const selected = condition === undefined ? samples : samples.filter(({ isUp: is }) => is === condition.endsWith("1"));
  const value = (sampleValue: number) =>
    isRange ? { values: [[nowMs / 1000, String(sampleValue)]] } : { value: [nowMs / 1000, String(sampleValue)] };
  const total = how === "count" ? selected.length : selected.filter((target) => target.isUp).length;
  const all =
    how === undefined
      ? selected.map((target) => ({ metric: { __name__: "up", ...labelsOf(target) }, ...value(target.isUp ? 1 : 0) }))
      : selected.length === 0
        ? []
        : [{ metric: {}, ...value(total) }];
  return success({ resultType: isRange ? "matrix" : "vector", result: all });
}

function matches(target: Scrape, matchers: string): boolean {
  const labels = labelsOf(target);
  return matchers.split(",").every((matcher) => {
    const [, name = "", how, value] = /^\s*(\w+)\s*(!?=)\s*"([^"]*)"\s*$/.exec(matcher) ?? [];
    if (name === "") return matcher.trim() === "";
    const isSame = (Object.hasOwn(labels, name) ? labels[name] : "") === value;
    return how === "=" ? isSame : !isSame;
  });
}
