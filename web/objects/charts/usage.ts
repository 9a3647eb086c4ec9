// Usage of nodes, pods and the pods of workloads: which list of the metrics API has it, and the series of its charts. Independent of the page.
import { type Series, largest, sumAt, timesOf } from "../../charts/series.ts";
import { quantityMilliValue, quantityValue } from "../../../shared/k8s/quantity.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import type { LabelSelector } from "../../../shared/k8s/api/meta-v1.ts";
import { type Labels, labelSelectorAsSelector, selectorFromSet } from "../../../shared/k8s/selectors/labels.ts";
import { texts } from "../../messages/charts.ts";
import type { ObjectRef } from "../../live/reference.ts";
import type { Measured } from "./moments.ts";

/** CPU in millicores and memory in mebibytes. */
interface Amounts {
  readonly cpu: number;
  readonly memory: number;
}

export type Usage = ReadonlyMap<string, Amounts>;

/** Returns the path and query of the metrics API for the object, or undefined if the object selects nothing. */
export function metricsPath({ resource, namespace, name }: ObjectRef, object: KubeObject): string | undefined {
  const group = "/apis/metrics.k8s.io/v1beta1";
  if (resource === "nodes") return `${group}/nodes?fieldSelector=${encodeURIComponent(`metadata.name=${name}`)}`;
  const pods = `${group}/namespaces/${namespace}/pods`;
  if (resource === "pods") return `${pods}?fieldSelector=${encodeURIComponent(`metadata.name=${name}`)}`;
  // The API validated the selector of a workload.
  const { selector } = (object as { spec?: { selector?: LabelSelector & Labels } }).spec ?? {};
  const isPlain = resource === "replicationcontrollers";
  const text = (isPlain ? selectorFromSet(selector) : labelSelectorAsSelector(selector)).toString();
  return text === "" ? undefined : `${pods}?labelSelector=${encodeURIComponent(text)}`;
}

interface MetricsItem {
  readonly metadata: { readonly name: string };
  readonly usage?: Readonly<Record<string, string>>;
  readonly containers?: readonly { readonly name: string; readonly usage: Readonly<Record<string, string>> }[];
}

/** Reads a list of the metrics API: of a node, of the containers of one pod, or of several pods. */
export function usageIn(list: unknown, ofOnePod: boolean): Usage {
  // The API's own type.
  const { items } = list as { readonly items: readonly MetricsItem[] };
  const all = items.flatMap(({ metadata, usage, containers = [] }): [string, Amounts][] => {
    if (usage) return [[metadata.name, amountsOf(usage)]];
    const each = containers.map((container): [string, Amounts] => [container.name, amountsOf(container.usage)]);
    return ofOnePod ? each : [[metadata.name, sum(each.map(([, amounts]) => amounts))]];
  });
  return new Map(all);
}

function amountsOf({ cpu = "0", memory = "0" }: Readonly<Record<string, string>>): Amounts {
  return { cpu: quantityMilliValue(cpu), memory: mebibytesOf(memory) };
}

function sum(all: readonly Amounts[]): Amounts {
  return all.reduce((total, { cpu, memory }) => ({ cpu: total.cpu + cpu, memory: total.memory + memory }), {
    cpu: 0,
    memory: 0,
  });
}

/** Returns the series of a resource: one for each name, and their sum if there are several. */
export function usageSeries(measured: readonly Measured<Usage>[], resource: keyof Amounts): readonly Series[] {
  const names = [...new Set(measured.flatMap(({ value }) => [...value.keys()]))].sort();
  const each = names.map((name): Series => {
    const points = measured.flatMap(({ atMs, value }) => {
      const amounts = value.get(name);
      return amounts ? [{ atMs, value: amounts[resource] }] : [];
    });
    return { name, points };
  });
  if (each.length < 2) return each;
  const total = timesOf(each).map((atMs) => ({ atMs, value: sumAt(each, atMs) }));
  return [{ name: texts.total, points: total }, ...largest(each, texts.others)];
}

const mebibyte = 1024 * 1024;

export function mebibytesOf(quantity: string): number {
  return quantityValue(quantity) / mebibyte;
}

export function formatCpu(milli: number): string {
  return milli >= 10_000 ? `${(milli / 1000).toFixed(1)}` : `${Math.round(milli)}m`;
}

export function formatMemory(mebibytes: number): string {
  return mebibytes >= 10 * 1024 ? `${(mebibytes / 1024).toFixed(1)}Gi` : `${Math.round(mebibytes)}Mi`;
}
