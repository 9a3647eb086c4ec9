// The constraints of LimitRanger on containers, pods and claims, each with its message.
import type { LimitRangeItem, PersistentVolumeClaim, Pod, PodSpec } from "../../../shared/k8s/api/core-v1.ts";
import { formatQuantity, quantityMilliValue, quantityValue } from "../../../shared/k8s/quantity.ts";
import { containerResources } from "../../kinds/core/pod/resources.ts";

type Amounts = Readonly<Record<string, string>>;

interface Requirements {
  readonly requests?: Amounts;
  readonly limits?: Amounts;
}

/** The largest value whose thousandths fit 64 bits (upstream: Quantity.MilliValue). */
const maxMilliValue = 2 ** 63 / 1000;

export function podProblems({ spec }: Pod, items: readonly LimitRangeItem[]): string[] {
  return items.flatMap((item) => {
    const containers = [...spec.containers, ...(spec.initContainers ?? [])];
    if (item.type === "Container") return containers.flatMap(({ resources }) => problems(item, resources));
    if (item.type !== "Pod") return [];
    return problems(item, { requests: ofPod(spec, "requests"), limits: ofPod(spec, "limits") });
  });
}

/** Checks a claim. Only its requests count. */
export function claimProblems({ spec }: PersistentVolumeClaim, items: readonly LimitRangeItem[]): string[] {
  const { requests = {} } = spec.resources;
  return items
    .filter(({ type }) => type === "PersistentVolumeClaim")
    .flatMap((item) => [
      ...each(item.min, (name, bound) => tooLittle(item.type, name, bound, { requests })),
      ...each(item.max, (name, bound) => tooMuchRequested(item.type, name, bound, requests)),
    ]);
}

function problems(item: LimitRangeItem, requirements: Requirements): string[] {
  return [
    ...each(item.min, (name, bound) => tooLittle(item.type, name, bound, requirements)),
    ...each(item.max, (name, bound) => tooMuch(item.type, name, bound, requirements)),
    ...each(item.maxLimitRequestRatio, (name, bound) => tooFarApart(item.type, name, bound, requirements)),
  ];
}

function each(list: Amounts | undefined, check: (name: string, bound: string) => string | undefined): string[] {
  return Object.entries(list ?? {}).flatMap(([name, bound]) => check(name, bound) ?? []);
}

/** Sums the resources of the containers. Resources of the pod itself take precedence. */
function ofPod(spec: PodSpec, list: "limits" | "requests"): Amounts {
  const sums = [...containerResources(spec, list)].map(([name, sum]) => [name, formatQuantity(sum)] as const);
  const podLevel = Object.entries(spec.resources?.[list] ?? {}).filter(([name]) => name === "cpu" || name === "memory");
  return Object.fromEntries([...sums, ...podLevel]);
}

function tooLittle(type: string, name: string, bound: string, { requests = {}, limits = {} }: Requirements) {
  const [request, limit] = [requests[name], limits[name]];
  const head = `minimum ${name} usage per ${type} is ${bound}`;
  if (request === undefined) return `${head}.  No request is specified`;
  const [requestValue, limitValue, minimum] = comparable(request, limit ?? "0", bound);
  if (requestValue < minimum) return `${head}, but request is ${request}`;
  return limit !== undefined && limitValue < minimum ? `${head}, but limit is ${limit}` : undefined;
}

function tooMuch(type: string, name: string, bound: string, { requests = {}, limits = {} }: Requirements) {
  const [request, limit] = [requests[name], limits[name]];
  const head = `maximum ${name} usage per ${type} is ${bound}`;
  if (limit === undefined) return `${head}.  No limit is specified`;
  const [requestValue, limitValue, maximum] = comparable(request ?? "0", limit, bound);
  if (limitValue > maximum) return `${head}, but limit is ${limit}`;
  return request !== undefined && requestValue > maximum ? `${head}, but request is ${request}` : undefined;
}

function tooMuchRequested(type: string, name: string, bound: string, requests: Amounts) {
  const request = requests[name];
  const head = `maximum ${name} usage per ${type} is ${bound}`;
  if (request === undefined) return `${head}.  No request is specified`;
  const [requestValue, , maximum] = comparable(request, "0", bound);
  return requestValue > maximum ? `${head}, but request is ${request}` : undefined;
}

function tooFarApart(type: string, name: string, bound: string, { requests = {}, limits = {} }: Requirements) {
  const [request, limit] = [requests[name] ?? "0", limits[name] ?? "0"];
  const head = `${name} max limit to request ratio per ${type} is ${bound}`;
  const [requestValue, limitValue] = comparable(request, limit, bound);
  if (requestValue === 0) return `${head}, but no request is specified or request is 0`;
  if (limitValue === 0) return `${head}, but no limit is specified or limit is 0`;
  const ratio = limitValue / requestValue;
  const maxRatio = quantityValue(bound) <= maxMilliValue ? quantityMilliValue(bound) / 1000 : quantityValue(bound);
  return ratio > maxRatio ? `${head}, but provided ratio is ${ratio.toFixed(6)}` : undefined;
}

/** Converts quantities to numbers: in thousandths if all of them fit. */
function comparable(...texts: [string, string, string]): [number, number, number] {
  const fits = texts.every((text) => quantityValue(text) <= maxMilliValue);
  const [request, limit, bound] = texts;
  const of = fits ? quantityMilliValue : quantityValue;
  return [of(request), of(limit), of(bound)];
}
