// Selects the rule of an HTTPRoute for a request: the most specific host, path, method, headers and query, in that order.
import { compilePattern, compileUnits, isPattern, type Spend } from "../../../shared/base/pattern.ts";
import { parseTime } from "../../../shared/k8s/time.ts";
import { covers, hostnamesOf } from "../../kinds/networking/gateway/attachment.ts";
import type { Read, RouteMatch, RouteRule, RouteSpec } from "../../kinds/networking/gateway/objects.ts";
import type { GatewayRequest } from "./gateway-route.ts";

export interface Matched {
  readonly route: Read<RouteSpec>;
  readonly rule: RouteRule;
  readonly match: RouteMatch;
}

interface Ranked extends Matched {
  readonly rank: readonly number[];
}

/** The work of checking one match. */
const matchWork = 0.5;
const anything: RouteMatch = { path: { type: "PathPrefix", value: "/" }, headers: [], queryParams: [] };

/** Returns the best match; undefined if none matches or the budget is spent. `hostname`: the listener's. */
export function matchedBy(
  routes: readonly Read<RouteSpec>[],
  hostname: string,
  request: GatewayRequest,
  spend: Spend,
): Matched | undefined {
  let best: Ranked | undefined;
  for (const route of routes) {
    const host = hostnamesOf(route.spec, hostname)
      .filter((routeHost) => covers(routeHost, request.host))
      .reduce((most, routeHost) => Math.max(most, hostRank(routeHost)), -1);
    if (host < 0) continue;
    for (const rule of route.spec.rules) {
      for (const match of rule.matches.length > 0 ? rule.matches : [anything]) {
        if (!spend(matchWork)) return undefined;
        const rank = fits(match, request, spend) ? [host, ...rankOf(match)] : undefined;
        if (rank && (!best || isAbove({ route, rank }, best))) best = { route, rule, match, rank };
      }
    }
  }
  return best;
}

/** Ranks hostnames: a complete name above a wildcard, a longer one above a shorter one. */
function hostRank(host: string): number {
  if (host === "") return 0;
  return host.startsWith("*.") ? host.length : 1000 + host.length;
}

function rankOf({ path, method, headers, queryParams }: RouteMatch): number[] {
  const kind = { Exact: 2, RegularExpression: 1 }[path.type] ?? 0;
  return [kind, path.value.length, method === undefined ? 0 : 1, headers.length, queryParams.length];
}

/** Reports whether a match is better. Between equal ones the older route wins, then the first by name; within a route the first rule. */
function isAbove(
  candidate: { readonly route: Read<RouteSpec>; readonly rank: readonly number[] },
  best: Ranked,
): boolean {
  const at = candidate.rank.findIndex((value, index) => value !== best.rank[index]);
  if (at >= 0) return (candidate.rank[at] ?? 0) > (best.rank[at] ?? 0);
  if (candidate.route === best.route) return false;
  const [candidateMs, bestMs] = [madeMs(candidate.route), madeMs(best.route)];
  if (candidateMs !== bestMs) return candidateMs < bestMs;
  return `${candidate.route.namespace}/${candidate.route.name}` < `${best.route.namespace}/${best.route.name}`;
}

function madeMs({ object }: Read<RouteSpec>): number {
  return object.metadata.creationTimestamp ? parseTime(object.metadata.creationTimestamp) : 0;
}

function fits({ path, method, headers, queryParams }: RouteMatch, request: GatewayRequest, spend: Spend): boolean {
  if (method !== undefined && method !== request.method) return false;
  const [bare = "/", query = ""] = request.path.split("?");
  if (!fitsPath(path, bare, spend)) return false;
  const isHeader = headers.every(({ name, value, type }) => {
    const headerValue = request.headers.find(([headerName]) => headerName.toLowerCase() === name.toLowerCase())?.[1];
    return headerValue !== undefined && fitsText(type, value, headerValue, spend);
  });
  if (!isHeader) return false;
  const form = queryParams.length > 0 ? new URLSearchParams(query) : undefined;
  return queryParams.every(({ name, value, type }) => {
    const queryValue = form?.get(name);
    return typeof queryValue === "string" && fitsText(type, value, queryValue, spend);
  });
}

function fitsPath({ type, value }: RouteMatch["path"], path: string, spend: Spend): boolean {
  if (type === "Exact") return path === value;
  if (type === "RegularExpression") return fitsText(type, value, path, spend);
  const bare = value.endsWith("/") ? value.slice(0, -1) : value;
  return path === bare || path.startsWith(`${bare}/`);
}

function fitsText(type: string, expected: string, actual: string, spend: Spend): boolean {
  if (type !== "RegularExpression") return actual === expected;
  if (!spend(compileUnits(expected))) return false;
  const pattern = compilePattern(`^(?:${expected})$`, {});
  return isPattern(pattern) && pattern.find(actual, 0, spend) !== undefined;
}
