// Charts: their series and scale, the moments at which they are measured, and what is read from the metrics API, autoscalers and access logs.
import { describe, expect, test } from "vitest";
import { type Series, largest, pathOf, topOf, valueAt } from "../../web/charts/series.ts";
import { autoscalerPath, replicaSeries, scalingIn, utilizationSeries } from "../../web/objects/charts/autoscaler.ts";
import { hasCharts } from "../../web/objects/charts/has-charts.ts";
import { pastMomentsOf, spanMs, withMeasurement } from "../../web/objects/charts/moments.ts";
import { requestSeries, requestsIn } from "../../web/objects/charts/requests.ts";
import { formatCpu, formatMemory, metricsPath, usageIn, usageSeries } from "../../web/objects/charts/usage.ts";

const line = (name: string, ...values: number[]): Series => ({
  name,
  points: values.map((value, at) => ({ atMs: at * 10, value })),
});

describe("a chart", () => {
  test("has a round number at its top, and never less than the least", () => {
    const tops = [0, 3, 12, 21, 99, 101].map((value) => topOf([line("a", value)], 1));
    expect(tops).toEqual([1, 5, 20, 25, 100, 200]);
    expect(topOf([], 10)).toBe(10);
  });

  test("draws each point at its time and value", () => {
    expect(pathOf(line("a", 0, 50, 100), { fromMs: 0, toMs: 20 }, 100)).toBe("M0.0 100.00L500.0 50.00L1000.0 0.00");
    // A path without a length is a point, because the line has round ends.
    expect(pathOf(line("a", 1), { fromMs: 0, toMs: 0 }, 1)).toBe("M500.0 0.00h0");
    expect(pathOf(line("a", 1), { fromMs: 0, toMs: 20 }, 2)).toBe("M0.0 50.00h0");
  });

  test("reads the last value until a time, and none of a series that has ended", () => {
    const series = line("a", 1, 2);
    expect([-1, 5, 10, 11].map((atMs) => valueAt(series, atMs))).toEqual([undefined, 1, 2, undefined]);
  });

  test("shows the largest series, and sums the others", () => {
    const all = Array.from({ length: 8 }, (_, at) => line(`s${at}`, at, at));
    const drawn = largest(all, "others");
    expect(drawn.map(({ name }) => name)).toEqual(["s7", "s6", "s5", "s4", "others"]);
    expect(drawn.at(-1)?.points).toEqual([
      { atMs: 0, value: 6 },
      { atMs: 10, value: 6 },
    ]);
  });
});

describe("the moments of a chart", () => {
  test("lie between the creation and now, the newest first, in whole seconds", () => {
    const nowMs = 1_000_000_500;
    const all = pastMomentsOf(nowMs - 10 * 60_000, nowMs);
    expect(all).toHaveLength(12);
    expect(
      all.every(
        (atMs, at) => atMs % 1000 === 0 && atMs < nowMs && atMs > nowMs - 600_000 && atMs < (all[at - 1] ?? nowMs),
      ),
    ).toBe(true);
    expect(pastMomentsOf(nowMs - 5_000, nowMs)).toEqual([]);
    expect(pastMomentsOf(nowMs + 5_000, nowMs)).toEqual([]);
    expect(Math.min(...pastMomentsOf(0, nowMs))).toBeGreaterThan(nowMs - spanMs - 1000);
  });

  test("are kept in order, once each, as far back as the span", () => {
    const all = [20, 10, 20].reduce(
      (before, atMs) => withMeasurement(before, { atMs, value: atMs }),
      [] as readonly { atMs: number; value: number }[],
    );
    expect(all.map(({ atMs }) => atMs)).toEqual([10, 20]);
    expect(withMeasurement(all, { atMs: spanMs + 15, value: 1 }).map(({ atMs }) => atMs)).toEqual([20, spanMs + 15]);
  });
});

describe("usage", () => {
  const ref = (resource: string) => ({ resource, namespace: "shop", name: "web" });
  const selecting = (selector: object) => ({ metadata: { name: "web" }, spec: { selector } }) as never;

  test("is asked by name, or by the selector of a workload", () => {
    const path = (resource: string, selector: object) =>
      decodeURIComponent(metricsPath(ref(resource), selecting(selector)) ?? "");
    expect(path("pods", {})).toMatch(/namespaces\/shop\/pods\?fieldSelector=metadata\.name=web$/);
    expect(path("nodes", {})).toMatch(/v1beta1\/nodes\?fieldSelector=metadata\.name=web$/);
    const selector = {
      matchLabels: { app: "web" },
      matchExpressions: [{ key: "tier", operator: "In", values: ["a", "b"] }],
    };
    expect(path("deployments.apps", selector)).toMatch(/\?labelSelector=app=web,tier in \(a,b\)$/);
    expect(path("replicationcontrollers", { app: "web" })).toMatch(/\?labelSelector=app=web$/);
    expect(path("deployments.apps", {})).toBe("");
  });

  test("is that of each container of a pod, of each pod of a workload, and their sum", () => {
    const container = (name: string, cpu: string) => ({ name, usage: { cpu, memory: "2Mi" } });
    const list = { items: [{ metadata: { name: "web-1" }, containers: [container("a", "5m"), container("b", "1")] }] };
    expect([...usageIn(list, true)].map(([name, { cpu }]) => [name, cpu])).toEqual([
      ["a", 5],
      ["b", 1000],
    ]);
    const ofWorkload = usageIn(list, false);
    expect(ofWorkload.get("web-1")).toEqual({ cpu: 1005, memory: 4 });
    const series = usageSeries([{ atMs: 1, value: usageIn(list, true) }], "cpu");
    expect(series.map(({ name, points }) => [name, points[0]?.value])).toEqual([
      ["Total", 1005],
      ["a", 5],
      ["b", 1000],
    ]);
    const ofNode = usageIn({ items: [{ metadata: { name: "node-1" }, usage: { cpu: "120m", memory: "1Gi" } }] }, false);
    expect([...ofNode.keys()]).toEqual(["node-1"]);
  });

  test("is written as kubectl top does", () => {
    expect([formatCpu(12.4), formatCpu(12_000), formatMemory(3), formatMemory(12 * 1024)]).toEqual([
      "12m",
      "12.0",
      "3Mi",
      "12.0Gi",
    ]);
  });

  test("is offered for what runs", () => {
    expect(["pods", "nodes", "deployments.apps", "services", "configmaps"].map(hasCharts)).toEqual([
      true,
      true,
      true,
      true,
      false,
    ]);
  });
});

describe("an autoscaler", () => {
  const metric = (utilization: number, place: string) => ({
    resource: { [place]: { averageUtilization: utilization } },
  });
  const object = {
    spec: { minReplicas: 2, maxReplicas: 9, metrics: [metric(80, "target")] },
    status: { currentReplicas: 3, desiredReplicas: 4, currentMetrics: [metric(120, "current")] },
  };

  test("has series of its replicas within its bounds, and of the utilization beside the target", () => {
    const scaling = scalingIn({ items: [object] });
    expect(scaling).toEqual({ current: 3, desired: 4, least: 2, most: 9, utilization: 120, target: 80 });
    const measured = scaling ? [{ atMs: 1, value: scaling }] : [];
    expect(replicaSeries(measured).map(({ points }) => points[0]?.value)).toEqual([3, 4, 2, 9]);
    expect(utilizationSeries(measured).map(({ points }) => points[0]?.value)).toEqual([120, 80]);
  });

  test("without a utilization, or gone, has none", () => {
    expect(scalingIn({ items: [] })).toBeUndefined();
    const bare = scalingIn({ items: [{ spec: { maxReplicas: 3 } }] });
    expect(bare).toMatchObject({ current: 0, least: 1, utilization: undefined });
    expect(utilizationSeries(bare ? [{ atMs: 1, value: bare }] : [])).toEqual([]);
    expect(autoscalerPath({ resource: "", namespace: "shop", name: "web" })).toContain("/namespaces/shop/");
  });
});

describe("the requests of a Service", () => {
  const log = [
    '2026-11-29T08:00:10Z 10.0.0.1 - - [29/Nov/2026:08:00:10 +0000] "GET / HTTP/1.1" 200 615 "-" "curl/8"',
    '2026-11-29T08:00:50Z 10.0.0.1 - - [29/Nov/2026:08:00:50 +0000] "POST /a?b=%20c HTTP/1.1" 404 10',
    "2026-11-29T08:01:00Z starting",
    'yesterday "GET / HTTP/1.1" 200 1',
    "",
  ].join("\n");

  test("are read from access logs with their time and status", () => {
    expect(requestsIn(log)).toEqual([
      { atMs: Date.parse("2026-11-29T08:00:10Z"), digit: "2" },
      { atMs: Date.parse("2026-11-29T08:00:50Z"), digit: "4" },
    ]);
  });

  test("are counted for each minute of the span", () => {
    const [ok, wrong, ...rest] = requestSeries(requestsIn(log), Date.parse("2026-11-29T08:02:30Z"));
    expect(rest).toEqual([]);
    expect(ok?.points).toHaveLength(spanMs / 60_000);
    expect(ok?.points.slice(-4).map(({ value }) => value)).toEqual([0, 1, 0, 0]);
    expect(wrong?.name).toBe("4xx");
  });

  test("a log that is one long line is read in linear time", () => {
    const startedMs = performance.now();
    expect(requestsIn(`2026-11-29T08:00:10Z ${'"GET '.repeat(200_000)}`)).toEqual([]);
    expect(performance.now() - startedMs).toBeLessThan(2_000);
  });
});
