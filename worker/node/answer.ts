// What a pod answers to a request at one of its ports.
import type { Pod } from "../../shared/k8s/api/core-v1.ts";
import { placedOf, runOfStatus } from "./output.ts";
import { filesAt } from "./run/request.ts";
import type { ClusterView } from "./run/world.ts";
import { unknownServer } from "./shell/programs.ts";
import { pageOf } from "./shell/programs/pages.ts";
import { statusOf } from "./shell/programs/servers.ts";

export interface PortAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** Undefined if nothing listens there. */
export function portAnswer(
  pod: Pod,
  view: ClusterView,
  { port, path, nowMs }: { readonly port: number; readonly path: string; readonly nowMs: number },
): PortAnswer | undefined {
  for (const { spec, status } of placedOf(pod)) {
    if (!status.state.running) continue;
    const run = runOfStatus(pod, spec.name, view, nowMs, false)?.run;
    if (!run || !((run.ports.get(port) ?? Number.POSITIVE_INFINITY) <= nowMs || run.server === unknownServer)) continue;
    const files = filesAt(run, nowMs);
    const server = run.server ?? "";
    const code =
      server === unknownServer ? 200 : (statusOf({ server, ports: run.ports, files }, port, path, nowMs) ?? 200);
    const host = pod.spec.hostname ?? pod.metadata.name ?? "";
    return { status: code, ...pageOf({ server, path, status: code, files, host, image: spec.image ?? "" }) };
  }
  return undefined;
}
