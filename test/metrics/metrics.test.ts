// Counts of requests and objects: their sums, their encodings, and that the dashboard and the alerts use only metrics that exist.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import * as z from "zod";
import { countedMetrics, type MetricFacts, readMetrics } from "../../worker/metrics/catalogue.ts";
import { exportMetrics, otlpMetrics } from "../../worker/metrics/otlp.ts";
import { SumsTable } from "../../worker/metrics/sums.ts";
import { encodeMetrics, type Gauges } from "../../worker/metrics/text.ts";
import { requestRoute } from "../../worker/edge/service/request-route.ts";

const all: Readonly<Record<string, MetricFacts>> = { ...countedMetrics, ...readMetrics };
const noGauges = Object.fromEntries(Object.keys(readMetrics).map((name) => [name, new Map()])) as unknown as Gauges;

function filled(): SumsTable {
  const table = new SumsTable();
  table.add("sandbar_requests_total", "control\nlistSandboxes\nGET\n200", 1);
  table.add("sandbar_requests_total", "control\nlistSandboxes\nGET\n200", 1);
  for (const seconds of [0.001, 0.02, 0.02, 70]) table.add("sandbar_request_seconds", "page\npage\nGET", seconds);
  return table;
}

describe("sums", () => {
  test("the sums of two isolates are those of their counts and of their buckets", () => {
    const table = filled();
    table.merge(filled().take());
    const text = encodeMetrics(table.read(), noGauges);
    expect(text).toContain('sandbar_requests_total{kind="control",route="listSandboxes",verb="GET",code="200"} 4\n');
    expect(text).toContain('sandbar_request_seconds_bucket{kind="page",route="page",verb="GET",le="0.005"} 2\n');
    expect(text).toContain('sandbar_request_seconds_bucket{kind="page",route="page",verb="GET",le="0.025"} 6\n');
    expect(text).toContain('sandbar_request_seconds_bucket{kind="page",route="page",verb="GET",le="30"} 6\n');
    expect(text).toContain('sandbar_request_seconds_bucket{kind="page",route="page",verb="GET",le="+Inf"} 8\n');
    expect(text).toContain('sandbar_request_seconds_count{kind="page",route="page",verb="GET"} 8\n');
    expect(text).toMatch(/sandbar_request_seconds_sum\{kind="page",route="page",verb="GET"\} 140\.08\d*\n/);
  });

  test("begin anew after they were taken", () => {
    const table = filled();
    table.take();
    expect(table.isEmpty).toBe(true);
    expect(table.read()).toEqual({});
  });

  test("ignore metrics of other versions, and histograms with other buckets", () => {
    const table = new SumsTable();
    table.merge({ sandbar_other_total: { "": [1] }, sandbar_turn_seconds: { "": [1, 2, 3] } });
    expect(table.isEmpty).toBe(true);
  });

  test("have at most 3,000 series, and count what was dropped", () => {
    const table = new SumsTable();
    for (let at = 0; at < 3_500; at++) table.add("sandbar_requests_total", `a\nb\nGET\n${at}`, 1);
    const { sandbar_requests_total: requests = {}, sandbar_metrics_dropped_total: dropped = {} } = table.read();
    expect(Object.keys(requests)).toHaveLength(3_000);
    expect(dropped).toEqual({ "": [500] });
  });
});

describe("the text", () => {
  test("escapes the values of labels", () => {
    const gauges = { ...noGauges, sandbar_tenant_requests: new Map([['a"b\\c\nd', 7]]) };
    expect(encodeMetrics({}, gauges)).toContain('sandbar_tenant_requests{tenant="a\\"b\\\\c\\nd"} 7\n');
  });

  test("describes each metric once, and each line has a metric that it describes", () => {
    const lines = encodeMetrics(filled().read(), noGauges).trimEnd().split("\n");
    const described = lines.flatMap((line) => /^# TYPE (\S+) (\S+)$/.exec(line)?.[1] ?? []);
    expect(described.sort()).toEqual(Object.keys(all).sort());
    for (const line of lines) expect(line).toMatch(/^(# (HELP|TYPE) sandbar_\w+ .+|sandbar_\w+(\{[^}]+\})? \S+)$/);
  });
});

describe("labels of requests to sandboxes", () => {
  test.each([
    ["GET", "/api/v1/namespaces/a/pods/b", "pods get"],
    ["GET", "/api/v1/pods?watch=true", "pods watch"],
    ["GET", "/api/v1/watch/pods", "pods watch"],
    ["GET", "/apis/apps/v1/namespaces/a/deployments", "deployments list"],
    ["POST", "/api/v1/namespaces/a/pods/b/exec", "pods/* create"],
    ["GET", "/api/v1/namespaces/a", "namespaces get"],
    ["PUT", "/api/v1/namespaces/a/finalize", "namespaces/* update"],
    ["PATCH", "/apis/apps/v1/namespaces/a/deployments/b/scale", "deployments/* patch"],
    ["DELETE", "/api/v1/namespaces/a/pods", "pods deletecollection"],
    ["DELETE", "/api/v1/nodes/a", "nodes delete"],
    ["GET", "/apis/example.org/v1/namespaces/a/secretnames/b", "custom get"],
    ["GET", "/apis/apps/v1", "discovery get"],
    ["GET", "/api", "discovery get"],
    ["GET", "/openapi/v3", "other get"],
    ["PROPFIND", "/api/v1/pods", "pods other"],
    ["GET", "/api/v1/namespaces//pods//", "pods list"],
  ])("the labels of %s %s are %s", (method, path, expected) => {
    expect(requestRoute(method, new URL(path, "http://a")).join(" ")).toBe(expected);
  });
});

describe("the export to OpenTelemetry", () => {
  test("has cumulative sums, and histograms whose buckets add up to their count", () => {
    const request = otlpMetrics({ sums: filled().read() }, { sinceMs: 1_000, nowMs: 2_000 });
    const point = { startTimeUnixNano: "1000000000", timeUnixNano: "2000000000" };
    expect(request).toMatchObject({
      resourceMetrics: [
        {
          resource: { attributes: [{ key: "service.name", value: { stringValue: "sandbar" } }] },
          scopeMetrics: [
            {
              metrics: [
                {
                  name: "sandbar_requests_total",
                  sum: {
                    aggregationTemporality: 2,
                    isMonotonic: true,
                    dataPoints: [{ ...point, asDouble: 2, attributes: [{ key: "kind" }, { key: "route" }, {}, {}] }],
                  },
                },
                {
                  name: "sandbar_request_seconds",
                  histogram: {
                    dataPoints: [
                      {
                        ...point,
                        count: "4",
                        bucketCounts: ["1", "0", "2", "0", "0", "0", "0", "0", "0", "0", "0", "0", "1"],
                      },
                    ],
                  },
                },
              ],
            },
          ],
        },
      ],
    });
  });

  test("has the gauges with their labels", () => {
    const none = Object.fromEntries(Object.keys(readMetrics).map((name) => [name, new Map<string, number>()]));
    const gauges = {
      ...none,
      sandbar_sandboxes_live: new Map([["", 3]]),
      sandbar_tenant_requests: new Map([["ada", 5]]),
    } as unknown as Gauges;
    const request = JSON.stringify(otlpMetrics({ sums: {}, gauges }, { sinceMs: 1_000, nowMs: 2_000 }));
    const points = (attributes: object[], asDouble: number) =>
      `"gauge":${JSON.stringify({ dataPoints: [{ attributes, timeUnixNano: "2000000000", asDouble }] })}`;
    expect(request).toContain(points([], 3));
    expect(request).toContain(points([{ key: "tenant", value: { stringValue: "ada" } }], 5));
  });

  test("is sent with the headers of the settings, and returns the status, or 0 without an answer", async () => {
    const requests: unknown[] = [];
    const server = createServer((request, response) => {
      requests.push([request.url, request.headers["api-key"], request.headers["x-a"]]);
      response.writeHead(202).end();
    });
    await new Promise<void>((done) => void server.listen(0, "127.0.0.1", done));
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const settings = { endpoint, headers: "api-key=a%20b, x-a=c=d,nothing" };
    const period = { sinceMs: 0, nowMs: 1 };
    expect(await exportMetrics(settings, { sums: filled().read() }, period, fetch)).toBe(202);
    server.close();
    server.closeAllConnections();
    expect(requests).toEqual([["/v1/metrics", "a b", "c=d"]]);
    expect(await exportMetrics(settings, { sums: {} }, period, fetch)).toBe(0);
  });
});

const folder = join(import.meta.dirname, "../../scripts/deploy/monitoring");
const panels = z.object({
  panels: z.array(z.object({ title: z.string(), targets: z.array(z.object({ expr: z.string() })).default([]) })),
});
const rules = z.object({
  groups: z.array(
    z.object({
      rules: z.array(
        z.object({
          alert: z.string(),
          expr: z.string(),
          annotations: z.object({ runbook: z.string(), summary: z.string() }),
        }),
      ),
    }),
  ),
});
const dashboard = panels.parse(JSON.parse(readFileSync(join(folder, "dashboard.json"), "utf8")));
const alerts = rules
  .parse(parse(readFileSync(join(folder, "alerts.yaml"), "utf8")))
  .groups.flatMap((group) => group.rules);
const expressions = [
  ...dashboard.panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const)),
  ...alerts.map(({ alert, expr }) => [alert, expr] as const),
];

/** Returns the facts of a series, and its labels: a histogram has three series. */
function seriesOf(name: string): readonly string[] | undefined {
  const facts = all[name];
  if (facts && facts.type !== "histogram") return facts.labels;
  const [, base = "", suffix = ""] = /^(.*)_(bucket|sum|count)$/.exec(name) ?? [];
  const histogram = all[base];
  if (histogram?.type !== "histogram") return undefined;
  return suffix === "bucket" ? [...histogram.labels, "le"] : histogram.labels;
}

/** Returns the metrics of an expression with the labels that it matches or groups by. */
function usesOf(expression: string): { readonly name: string; readonly labels: readonly string[] }[] {
  const grouped = [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, names = ""]) => names.split(/,\s*/));
  return [...expression.matchAll(/\b(sandbar_\w+)(?:\{([^}]*)\})?/g)].map(([, name = "", matchers = ""]) => ({
    name,
    labels: [...grouped, ...[...matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = ""]) => label)],
  }));
}

describe("the dashboard and the alerts", () => {
  test.each(expressions)("%s uses metrics and labels that exist: %s", (_, expression) => {
    const uses = usesOf(expression);
    expect(expression === 'up{job="sandbar"} == 0' || uses.length > 0).toBe(true);
    for (const { name, labels } of uses) {
      const existing = seriesOf(name);
      expect(existing, name).toBeDefined();
      for (const label of labels) expect(existing, `${label} of ${name}`).toContain(label);
    }
  });

  test("show every metric", () => {
    const used = new Set(expressions.flatMap(([, expression]) => usesOf(expression).map(({ name }) => name)));
    const unused = Object.entries(all).filter(
      ([name, { type }]) => !used.has(name) && !(type === "histogram" && used.has(`${name}_bucket`)),
    );
    expect(unused.map(([name]) => name)).toEqual([]);
  });

  test("lead to a section of the runbook", () => {
    const runbook = readFileSync(join(import.meta.dirname, "../../docs/runbook.md"), "utf8");
    const anchors = [...runbook.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
      heading
        .toLowerCase()
        .replaceAll(/[^a-z0-9 -]/g, "")
        .replaceAll(" ", "-"),
    );
    for (const { alert, annotations } of alerts) {
      const [file, anchor] = annotations.runbook.split("#");
      expect(file).toBe("docs/runbook.md");
      expect(anchors, alert).toContain(anchor);
    }
  });
});
