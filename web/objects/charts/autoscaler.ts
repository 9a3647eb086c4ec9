// The replicas and the utilization of a HorizontalPodAutoscaler, as series of charts. Independent of the page.
import type { Series } from "../../charts/series.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { at, listAt, numberAt } from "../../kubectl/object.ts";
import type { JsonObject } from "../../../shared/schema/json-values.ts";
import type { ObjectRef } from "../../live/reference.ts";
import { texts } from "../../messages/charts.ts";
import type { Measured } from "./moments.ts";

interface Scaling {
  readonly current: number;
  readonly desired: number;
  readonly least: number;
  readonly most: number;
  /** The first metric with a utilization: the measured and the wanted percentage. */
  readonly utilization: number | undefined;
  readonly target: number | undefined;
}

export function autoscalerPath({ namespace, name }: ObjectRef): string {
  const selector = encodeURIComponent(`metadata.name=${name}`);
  return `/apis/autoscaling/v2/namespaces/${namespace}/horizontalpodautoscalers?fieldSelector=${selector}`;
}

/** Reads the list with the autoscaler. Undefined if it did not exist. */
export function scalingIn(list: unknown): Scaling | undefined {
  // The API's own type.
  const [first] = (list as { readonly items: readonly KubeObject[] }).items;
  if (!first) return undefined;
  const object = first as unknown as JsonObject; // the API's objects are JSON
  const read = (metrics: readonly JsonObject[], place: "current" | "target") =>
    metrics
      .map((metric) => numberAt(metric, "resource", place, "averageUtilization"))
      .find((value) => value !== undefined);
  return {
    current: numberAt(object, "status", "currentReplicas") ?? 0,
    desired: numberAt(object, "status", "desiredReplicas") ?? 0,
    least: numberAt(object, "spec", "minReplicas") ?? 1,
    most: numberAt(object, "spec", "maxReplicas") ?? 1,
    utilization: at(object, "status", "currentMetrics")
      ? read(listAt(object, "status", "currentMetrics"), "current")
      : undefined,
    target: read(listAt(object, "spec", "metrics"), "target"),
  };
}

export function replicaSeries(measured: readonly Measured<Scaling>[]): readonly Series[] {
  return [
    line(measured, texts.current, ({ current }) => current),
    line(measured, texts.desired, ({ desired }) => desired),
    { ...line(measured, texts.least, ({ least }) => least), isBound: true },
    { ...line(measured, texts.most, ({ most }) => most), isBound: true },
  ];
}

/** Returns no series if no metric has a utilization. */
export function utilizationSeries(measured: readonly Measured<Scaling>[]): readonly Series[] {
  const series = [
    line(measured, texts.measured, ({ utilization }) => utilization),
    { ...line(measured, texts.target, ({ target }) => target), isBound: true },
  ];
  return series.every(({ points }) => points.length > 0) ? series : [];
}

function line<T>(measured: readonly Measured<T>[], name: string, valueOf: (of: T) => number | undefined): Series {
  const points = measured.flatMap(({ atMs, value }) => {
    const number = valueOf(value);
    return number === undefined ? [] : [{ atMs, value: number }];
  });
  return { name, points };
}
