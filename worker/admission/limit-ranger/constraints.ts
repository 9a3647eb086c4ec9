// How much a container, a pod or a claim may ask for: the checks of LimitRanger, each with its message.
import type { LimitRangeItem, PersistentVolumeClaim, Pod, PodSpec } from "../../../shared/k8s/api/core-v1.ts";
import { formatQuantity, quantityMilliValue, quantityValue } from "../../../shared/k8s/quantity.ts";
import { containerResources } from "../../kinds/core/pod/resources.ts";

type Amounts = Readonly<Record<string, string>>;

interface Requirements {
  readonly requests?: Amounts;
  readonly limits?: Amounts;
}

/** Above it, thousandths do not fit 64 bits (upstream: Quantity.MilliValue). */
const maxMilliValue = 2 ** 63 / 1000;

export function podProblems({ spec }: Pod, items: readonly LimitRangeItem[]): string[] {
  return items.flatMap((item) => {
    const containers = [...spec.containers, ...(spec.initContainers ?? [])];
    if (item.type === "Container") return containers.flatMap(({ resources }) => problems(item, resources));
    if (item.type !== "Pod") return [];
    return problems(item, { requests: ofPod(spec, "requests"), limits: ofPod(spec, "limits") });
  });
}

/** Of claims, only requests count. */
export function claimProblems({ spec }: PersistentVolumeClaim, items: readonly LimitRangeItem[]): string[] {
  const { requests = {} } = spec.resources;
  return items
    .filter(({ type }) => type === "PersistentVolumeClaim")
    .flatMap((item) => [
      ...each(item.min, (name, bound) => tooLittle(item.type, name, bound, { requests })),
      ...each(item.max, (name, bound) => tooMuchRequested(item.type, name, bound, requests)),
    ]);
}

function problems(item: LimitRangeItem, asked: Requirements): string[] {
  return [
    ...each(item.min, (name, bound) => tooLittle(item.type, name, bound, asked)),
    ...each(item.max, (name, bound) => tooMuch(item.type, name, bound, asked)),
    ...each(item.maxLimitRequestRatio, (name, bound) => tooFarApart(item.type, name, bound, asked)),
  ];
}

function each(list: Amounts | undefined, check: (name: string, bound: string) => string | undefined): string[] {
  return Object.entries(list ?? {}).flatMap(([name, bound]) => check(name, bound) ?? []);
}

/** What the containers come to, unless the pod says it itself. */
function ofPod(spec: PodSpec, list: "limits" | "requests"): Amounts {
  const sums = [...containerResources(spec, list)].map(([name, sum]) => [name, formatQuantity(sum)] as const);
  const own = Object.entries(spec.resources?.[list] ?? {}).filter(([name]) => name === "cpu" || name === "memory");
  return Object.fromEntries([...sums, ...own]);
}

function tooLittle(type: string, name: string, bound: string, { requests = {}, limits = {} }: Requirements) {
  const [request, limit] = [requests[name], limits[name]];
  const head = `minimum ${name} usage per ${type} is ${bound}`;
  if (request === undefined) return `${head}.  No request is specified`;
  const [asked, allowed, least] = comparable(request, limit ?? "0", bound);
  if (asked < least) return `${head}, but request is ${request}`;
  return limit !== undefined && allowed < least ? `${head}, but limit is ${limit}` : undefined;
}

function tooMuch(type: string, name: string, bound: string, { requests = {}, limits = {} }: Requirements) {
  const [request, limit] = [requests[name], limits[name]];
  const head = `maximum ${name} usage per ${type} is ${bound}`;
  if (limit === undefined) return `${head}.  No limit is specified`;
  const [asked, allowed, most] = comparable(request ?? "0", limit, bound);
  if (allowed > most) return `${head}, but limit is ${limit}`;
  return request !== undefined && asked > most ? `${head}, but request is ${request}` : undefined;
}

function tooMuchRequested(type: string, name: string, bound: string, requests: Amounts) {
  const request = requests[name];
  const head = `maximum ${name} usage per ${type} is ${bound}`;
  if (request === undefined) return `${head}.  No request is specified`;
  const [asked, , most] = comparable(request, "0", bound);
  return asked > most ? `${head}, but request is ${request}` : undefined;
}

function tooFarApart(type: string, name: string, bound: string, { requests = {}, limits = {} }: Requirements) {
  const [request, limit] = [requests[name] ?? "0", limits[name] ?? "0"];
  const head = `${name} max limit to request ratio per ${type} is ${bound}`;
  const [asked, allowed] = comparable(request, limit, bound);
  if (asked === 0) return `${head}, but no request is specified or request is 0`;
  if (allowed === 0) return `${head}, but no limit is specified or limit is 0`;
  const ratio = allowed / asked;
  const most = quantityValue(bound) <= maxMilliValue ? quantityMilliValue(bound) / 1000 : quantityValue(bound);
  return ratio > most ? `${head}, but provided ratio is ${ratio.toFixed(6)}` : undefined;
}

/** In thousandths, where all of them fit. */
function comparable(...texts: [string, string, string]): [number, number, number] {
  const fits = texts.every((text) => quantityValue(text) <= maxMilliValue);
  const [request, limit, bound] = texts;
  const of = fits ? quantityMilliValue : quantityValue;
  return [of(request), of(limit), of(bound)];
}
