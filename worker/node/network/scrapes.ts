// What a Prometheus of the cluster scrapes: the endpoints behind the Services that ServiceMonitors select.
import { z } from "zod";
import { limits } from "../../../shared/base/limits.ts";
import { budgetOf } from "../../../shared/base/pattern.ts";
import { endpoints } from "../../kinds/core/endpoints.ts";
import { services } from "../../kinds/core/service/service.ts";
import type { ReconcileContext } from "../../runtime/controller.ts";
import type { Scrape } from "../shell/programs/page.ts";

const version = "monitoring.coreos.com/v1";
/** What reading a monitor, or a Service, costs. */
const readWork = 20;
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

export function scrapesOf(client: ReconcileContext["client"], pays: (units: number) => void): readonly Scrape[] {
  const kind = client.kindAt(version, "servicemonitors");
  if (!kind) return [];
  const budget = budgetOf(limits.probeWork);
  const found: Scrape[] = [];
  for (const monitor of client.each(kind)) {
    const read = spec.safeParse((monitor as { readonly spec?: unknown }).spec).data;
    if (!read) continue;
    const own = monitor.metadata.namespace ?? "";
    const { any = false, matchNames = [own] } = read.namespaceSelector;
    for (const service of client.each(services)) {
      pays(readWork);
      if (!budget(readWork) || found.length >= mostTargets) return found;
      const { namespace = "", name = "", labels = {} } = service.metadata;
      if (!any && !matchNames.includes(namespace)) continue;
      if (!Object.entries(read.selector.matchLabels).every(([key, value]) => labels?.[key] === value)) continue;
      const job = (read.jobLabel === undefined ? undefined : labels?.[read.jobLabel]) ?? name;
      for (const { addresses = [], notReadyAddresses = [], ports = [] } of client.get(endpoints, namespace, name)
        ?.subsets ?? [])
        for (const wanted of read.endpoints) {
          const port = (ports ?? []).find((one) => one.name === wanted.port);
          if (!port) continue;
          const target =
            (isUp: boolean) =>
            (one: { readonly ip: string; readonly targetRef?: { readonly name?: string } | undefined }) => ({
              job,
              namespace,
              service: name,
              pod: one.targetRef?.name ?? "",
              endpoint: wanted.port ?? "",
              instance: `${one.ip}:${port.port}`,
              url: `${wanted.scheme}://${one.ip}:${port.port}${wanted.path}`,
              isUp,
            });
          found.push(...(addresses ?? []).map(target(true)), ...(notReadyAddresses ?? []).map(target(false)));
        }
    }
  }
  return found;
}
