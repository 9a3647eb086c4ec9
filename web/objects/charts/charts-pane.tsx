// The charts of an object: usage of nodes, workloads and pods, replicas of an autoscaler, requests of a Service.
import { useEffect, useState } from "preact/hooks";
import { LineChart } from "../../charts/line-chart.tsx";
import type { Series } from "../../charts/series.ts";
import type { Node, Pod } from "../../../shared/k8s/api/core-v1.ts";
import { quantityMilliValue } from "../../../shared/k8s/quantity.ts";
import { ask } from "../../api/cluster.ts";
import { texts } from "../../messages/charts.ts";
import { Loading } from "../../parts/loading.tsx";
import { useLive } from "../../view/context.ts";
import type { PaneProps } from "../detail/pane.ts";
import { podsFor } from "../related.ts";
import { autoscalerPath, replicaSeries, scalingIn, utilizationSeries } from "./autoscaler.ts";
import { type Measured, measureMs, spanMs } from "./moments.ts";
import { type LoggedRequest, requestSeries, requestsIn } from "./requests.ts";
import { formatCpu, formatMemory, mebibytesOf, metricsPath, type Usage, usageIn, usageSeries } from "./usage.ts";
import { shownMs, useMeasured } from "./use-measured.ts";

const minuteMs = 60_000;
const logsAtMost = 10;
const logLines = 2000;

export function ChartsPane(props: PaneProps) {
  const { resource } = props.of;
  if (resource === "services") return <RequestCharts {...props} />;
  if (resource === "horizontalpodautoscalers.autoscaling") return <ScalingCharts {...props} />;
  return <UsageCharts {...props} />;
}

function createdMsOf({ object }: PaneProps): number {
  return Date.parse(object.metadata.creationTimestamp ?? "") || 0;
}

function UsageCharts(props: PaneProps) {
  const { of, object } = props;
  const { all, isLoaded } = useMeasured<Usage>({
    path: metricsPath(of, object),
    createdMs: createdMsOf(props),
    read: (list) => {
      const usage = usageIn(list, of.resource === "pods");
      return usage.size > 0 ? usage : undefined;
    },
  });
  if (!isLoaded) return <Loading />;
  if (all.length === 0) return <p class="empty">{texts.noMetrics}</p>;
  const bounds = boundsOf(of.resource, object as Node, all);
  return (
    <div class="charts">
      <p class="hint">{texts.lead(spanText(all))}</p>
      <LineChart title={texts.cpu} series={[...usageSeries(all, "cpu"), ...bounds.cpu]} least={10} format={formatCpu} />
      <LineChart
        title={texts.memory}
        series={[...usageSeries(all, "memory"), ...bounds.memory]}
        least={10}
        format={formatMemory}
      />
    </div>
  );
}

/** Returns what a node can allocate, or what a pod's containers request. */
function boundsOf(resource: string, object: Node | Pod, all: readonly Measured<unknown>[]) {
  const bound = (name: string, value: number): readonly Series[] =>
    value > 0 ? [{ name, isBound: true, points: all.map(({ atMs }) => ({ atMs, value })) }] : [];
  if (resource === "nodes") {
    const { allocatable = {} } = (object as Node).status;
    return {
      cpu: bound(texts.capacity, quantityMilliValue(allocatable["cpu"] ?? "0")),
      memory: bound(texts.capacity, mebibytesOf(allocatable["memory"] ?? "0")),
    };
  }
  if (resource !== "pods") return { cpu: [], memory: [] };
  const requests = (object as Pod).spec.containers.map(({ resources }) => resources?.requests ?? {});
  const sum = (name: string, valueOf: (text: string) => number) =>
    requests.reduce((total, amounts) => total + valueOf(amounts[name] ?? "0"), 0);
  return {
    cpu: bound(texts.requested, sum("cpu", quantityMilliValue)),
    memory: bound(texts.requested, sum("memory", mebibytesOf)),
  };
}

function ScalingCharts(props: PaneProps) {
  const path = autoscalerPath(props.of);
  const { all, isLoaded } = useMeasured({ path, createdMs: createdMsOf(props), read: scalingIn });
  if (!isLoaded) return <Loading />;
  const utilization = utilizationSeries(all);
  return (
    <div class="charts">
      <p class="hint">{texts.scalingLead(spanText(all))}</p>
      <LineChart title={texts.replicas} series={replicaSeries(all)} least={1} format={String} />
      {utilization.length > 0 && (
        <LineChart title={texts.utilization} series={utilization} least={100} format={(value) => `${value} %`} />
      )}
    </div>
  );
}

function RequestCharts({ of, object }: PaneProps) {
  const { cluster } = useLive();
  const pods = podsFor(of.resource, object, cluster);
  const requests = useRequests(pods);
  if (!requests) return <Loading />;
  if (requests.length === 0) return <p class="empty">{texts.noRequests}</p>;
  return (
    <div class="charts">
      <p class="hint">{texts.requestsLead(texts.minutes(spanMs / minuteMs))}</p>
      <LineChart title={texts.requests} series={requestSeries(requests, shownMs())} least={1} format={String} />
    </div>
  );
}

/** Reads the logs of the pods again and again while they are shown. Undefined until the first time. */
function useRequests(pods: readonly Pod[]): readonly LoggedRequest[] | undefined {
  const { access } = useLive().cluster;
  const [requests, setRequests] = useState<readonly LoggedRequest[]>();
  const names = pods
    .slice(0, logsAtMost)
    .flatMap(({ metadata, spec }) =>
      spec.containers.map(
        ({ name }) => `${metadata.namespace ?? ""}/pods/${metadata.name ?? ""}/log?container=${name}`,
      ),
    )
    .join(" ");
  useEffect(() => {
    const stop = new AbortController();
    const look = async () => {
      const logs = await Promise.all(
        names
          .split(" ")
          .filter(Boolean)
          .map(async (name) => {
            const query = `&timestamps=true&tailLines=${logLines}&sinceSeconds=${spanMs / 1000}`;
            const answer = await ask(access, `/api/v1/namespaces/${name}${query}`, { signal: stop.signal });
            return answer.ok ? requestsIn(await answer.text()) : [];
          }),
      );
      if (!stop.signal.aborted) setRequests(logs.flat());
    };
    const repeat = () => void look().catch(() => undefined);
    repeat();
    const timer = setInterval(() => !document.hidden && repeat(), measureMs);
    return () => {
      stop.abort();
      clearInterval(timer);
    };
  }, [names, access]);
  return requests;
}

function spanText(all: readonly Measured<unknown>[]): string {
  const ms = (all.at(-1)?.atMs ?? 0) - (all[0]?.atMs ?? 0);
  return texts.minutes(Math.max(1, Math.round(ms / minuteMs)));
}
