// Injects the faults of a sandbox into its requests: refusals, latency, lost answers and cut connections. A cluster without faults pays for
// a comparison.
import { faultLimits } from "../../../shared/contract/cluster/fault-limits.ts";
import { internalHeaders } from "../../../shared/contract/cluster-object.ts";
import type { Faults, FaultTarget } from "../faults.ts";
import { momentParameter } from "../moment.ts";
import { type Filter, type FilterContext, type Handler, infoOf } from "./filter.ts";
import { isContinuation } from "./max-in-flight.ts";

const writes = new Set(["create", "update", "patch", "delete", "deletecollection"]);

export const withFaults: Filter = (next) => (context) => {
  const { faults } = context.server;
  return faults === undefined || faults.isIdle ? next(context) : injected(next, context, faults);
};

async function injected(next: Handler, context: FilterContext, faults: Faults): Promise<Response> {
  const target = targetOf(context);
  if (!target) return next(context);
  if (faults.isDisconnected(target)) return cutConnection();
  if (isContinuation(context.request)) return next(context);
  const { latencyMs, refusal, isCut, isAnswerLost, staleRevision } = faults.begin(target);
  if (latencyMs > 0) await context.server.wait?.(latencyMs);
  if (isCut) return cutConnection();
  if (refusal) throw refusal;
  if (staleRevision !== undefined) readAt(context, staleRevision);
  const { store } = context.server.registry;
  const before = store.revision;
  try {
    const response = await next(context);
    // A write that changes nothing is none.
    if (writes.has(target.verb) && response.ok && store.revision > before && !isDryRun(context.url))
      context.server.turn(() => faults.wrote(target));
    return isAnswerLost || faults.isDisconnected(target) ? cutConnection() : response;
  } catch (error) {
    if (isAnswerLost || faults.isDisconnected(target)) return cutConnection();
    throw error;
  }
}

/** Returns the request as selectors see it; undefined if it addresses no resource. */
function targetOf(context: FilterContext): FaultTarget | undefined {
  const info = infoOf(context);
  if (!info.isResource || !context.identity) return undefined;
  const { verb, group, plural, subresource, namespace, name } = info;
  return {
    user: context.identity.user.name,
    userAgent: userAgentOf(context.request.headers),
    verb,
    resource: group === "" ? plural : `${plural}.${group}`,
    subresource,
    namespace,
    name,
  };
}

/** Returns the beginning of a client's user agent. */
export function userAgentOf(headers: Headers): string {
  return (headers.get("user-agent") ?? "").slice(0, faultLimits.agentCharacters);
}

/** Answers a read from the cache of a lagging server; other reads go to the store, as upstream's do. */
function readAt({ url }: FilterContext, revision: number): void {
  if (url.searchParams.get("resourceVersion") === "0" && !url.searchParams.has("watch"))
    url.searchParams.set(momentParameter, String(revision));
}

function isDryRun(url: URL): boolean {
  return url.searchParams.getAll("dryRun").includes("All");
}

/** Tells the edge to cut the client's connection. */
function cutConnection(): Response {
  return new Response(null, { status: 500, headers: { [internalHeaders.cut]: "true" } });
}
