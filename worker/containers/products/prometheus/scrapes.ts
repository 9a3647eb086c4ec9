// The targets that a Prometheus of the cluster scrapes: the endpoints of the Services that ServiceMonitors select.
import * as z from "zod";
import type { Spend } from "../../../../shared/base/pattern.ts";
import type { EndpointAddress, Service } from "../../../../shared/k8s/api/core-v1.ts";
import { readingWork } from "../../../../shared/k8s/bounds/entries.ts";
import { endpoints } from "../../../kinds/core/endpoints.ts";
import { services } from "../../../kinds/core/service/service.ts";
import type { ReconcileContext } from "../../../runtime/controller.ts";
import { probeBudget } from "../../network/probe-budget.ts";

type Client = ReconcileContext["client"];

const version = "monitoring.coreos.com/v1";
/** The work of reading a monitor, a Service or its endpoints in addition to their entries, and of comparing a port or a word. */
const readWork = 20;
const compareWork = 0.02;
const mostTargets = 500;

const spec = z.object({
  jobLabel: z.string().optional(),
  namespaceSelector: z.object({ any: z.boolean().optional(), matchNames: z.array(z.string()).optional() }).default({}),
  selector: z.object({ matchLabels: z.record(z.string(), z.string()).default({}) }).default({ matchLabels: {} }),
  endpoints: z
    .array(
      z.object({
        port: z.string().optional(),
        path: z.string().default("/metrics"),
        scheme: z.string().default("http"),
      }),
    )
    .default([]),
});

type Monitor = z.output<typeof spec>;

/** A target of Prometheus. */
export interface Scrape {
  readonly job: string;
  readonly namespace: string;
  readonly service: string;
  readonly pod: string;
  /** The port's name. */
  readonly endpoint: string;
  /** Address and port. */
  readonly instance: string;
  readonly url: string;
  readonly isUp: boolean;
}

/** Returns the targets, up to the budget of one request and the maximum that a Prometheus shows. */
export function scrapesOf(client: Client, pays: (units: number) => void): readonly Scrape[] {
  const spend = probeBudget(pays);
  const scrapes: Scrape[] = [];
  for (const target of targetsOf(client, spend)) {
    if (!spend(compareWork) || scrapes.length >= mostTargets) break;
    scrapes.push(target);
  }
  return scrapes;
}

function* targetsOf(client: Client, spend: Spend): Generator<Scrape, void> {
  const kind = client.kindAt(version, "servicemonitors");
  for (const monitor of kind ? client.each(kind) : []) {
    if (!spend(readingWork(monitor, readWork))) return;
    const read = spec.safeParse((monitor as { readonly spec?: unknown }).spec).data;
    if (!read) continue;
    const { any = false, matchNames = [monitor.metadata.namespace ?? ""] } = read.namespaceSelector;
    const labels = Object.entries(read.selector.matchLabels);
    for (const service of client.each(services)) {
      if (!spend(readWork + (matchNames.length + labels.length) * compareWork)) return;
      const { namespace = "", labels: serviceLabels } = service.metadata;
      if (!any && !matchNames.includes(namespace)) continue;
      if (!labels.every(([key, value]) => serviceLabels?.[key] === value)) continue;
      yield* targetsBehind(client, service, read, spend);
    }
  }
}

function* targetsBehind(
  client: Client,
  { metadata: { namespace = "", name = "", labels } }: Service,
  { jobLabel, endpoints: monitorEndpoints }: Monitor,
  spend: Spend,
): Generator<Scrape, void> {
  const job = (jobLabel === undefined ? undefined : labels?.[jobLabel]) ?? name;
  const behind = client.get(endpoints, namespace, name);
  if (!behind || !spend(readingWork(behind, readWork))) return;
  for (const { addresses, notReadyAddresses, ports } of behind.subsets ?? []) {
    for (const { port: named, scheme, path } of monitorEndpoints) {
      if (!spend((ports?.length ?? 0) * compareWork)) return;
      const port = ports?.find((endpointPort) => endpointPort.name === named)?.port;
      if (port === undefined) continue;
      const target = (isUp: boolean, { ip, targetRef }: EndpointAddress): Scrape => ({
        job,
        namespace,
        service: name,
        pod: targetRef?.name ?? "",
        endpoint: named ?? "",
        instance: `${ip}:${port}`,
        url: `${scheme}://${ip}:${port}${path}`,
        isUp,
      });
      for (const address of addresses ?? []) yield target(true, address);
      for (const address of notReadyAddresses ?? []) yield target(false, address);
    }
  }
}
