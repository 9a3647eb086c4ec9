// Which rule of the HTTPRoutes at a listener a request belongs to: the most specific host, path, method, headers and query, in that order.
import { compilePattern, compileUnits, isPattern, type Spend } from "../../../shared/base/pattern.ts";
import { parseTime } from "../../../shared/k8s/time.ts";
import { covers, hostnamesOf } from "../../kinds/networking/gateway/attachment.ts";
import type { Read, RouteMatch, RouteRule, RouteSpec } from "../../kinds/networking/gateway/objects.ts";
import type { GatewayAsked } from "./gateway-route.ts";

export interface Matched {
  readonly route: Read<RouteSpec>;
  readonly rule: RouteRule;
  readonly match: RouteMatch;
}

interface Ranked extends Matched {
  readonly rank: readonly number[];
}

/** What looking at one match costs. */
const matchWork = 0.5;
const anything: RouteMatch = { path: { type: "PathPrefix", value: "/" }, headers: [], queryParams: [] };

/** `hostname`: the listener's. Undefined where nothing fits, or where looking further would cost too much. */
export function matchedBy(
  routes: readonly Read<RouteSpec>[],
  hostname: string,
  asked: GatewayAsked,
  spend: Spend,
): Matched | undefined {
  let best: Ranked | undefined;
  for (const route of routes) {
    const host = hostnamesOf(route.spec, hostname)
      .filter((one) => covers(one, asked.host))
      .reduce((most, one) => Math.max(most, hostRank(one)), -1);
    if (host < 0) continue;
    for (const rule of route.spec.rules) {
      for (const match of rule.matches.length > 0 ? rule.matches : [anything]) {
        if (!spend(matchWork)) return undefined;
        const rank = fits(match, asked, spend) ? [host, ...rankOf(match)] : undefined;
        if (rank && (!best || isAbove({ route, rank }, best))) best = { route, rule, match, rank };
      }
    }
  }
  return best;
}

/** A whole name before a wildcard, the longer before the shorter. */
function hostRank(host: string): number {
  if (host === "") return 0;
  return host.startsWith("*.") ? host.length : 1000 + host.length;
}

function rankOf({ path, method, headers, queryParams }: RouteMatch): number[] {
  const kind = { Exact: 2, RegularExpression: 1 }[path.type] ?? 0;
  return [kind, path.value.length, method === undefined ? 0 : 1, headers.length, queryParams.length];
}

/** Of equal ones the older, then the first by name; of one route the first. */
function isAbove(one: { readonly route: Read<RouteSpec>; readonly rank: readonly number[] }, best: Ranked): boolean {
  const at = one.rank.findIndex((value, index) => value !== best.rank[index]);
  if (at >= 0) return (one.rank[at] ?? 0) > (best.rank[at] ?? 0);
  if (one.route === best.route) return false;
  const [made, other] = [madeMs(one.route), madeMs(best.route)];
  if (made !== other) return made < other;
  return `${one.route.namespace}/${one.route.name}` < `${best.route.namespace}/${best.route.name}`;
}

function madeMs({ object }: Read<RouteSpec>): number {
  return object.metadata.creationTimestamp ? parseTime(object.metadata.creationTimestamp) : 0;
}

function fits({ path, method, headers, queryParams }: RouteMatch, asked: GatewayAsked, spend: Spend): boolean {
  if (method !== undefined && method !== asked.method) return false;
  const [bare = "/", query = ""] = asked.path.split("?");
  if (!fitsPath(path, bare, spend)) return false;
  const isHeader = headers.every(({ name, value, type }) => {
    const given = asked.headers.find(([own]) => own.toLowerCase() === name.toLowerCase())?.[1];
    return given !== undefined && fitsText(type, value, given, spend);
  });
  if (!isHeader) return false;
  const form = queryParams.length > 0 ? new URLSearchParams(query) : undefined;
  return queryParams.every(({ name, value, type }) => {
    const given = form?.get(name);
    return typeof given === "string" && fitsText(type, value, given, spend);
  });
}

function fitsPath({ type, value }: RouteMatch["path"], path: string, spend: Spend): boolean {
  if (type === "Exact") return path === value;
  if (type === "RegularExpression") return fitsText(type, value, path, spend);
  const bare = value.endsWith("/") ? value.slice(0, -1) : value;
  return path === bare || path.startsWith(`${bare}/`);
}

function fitsText(type: string, wanted: string, given: string, spend: Spend): boolean {
  if (type !== "RegularExpression") return given === wanted;
  if (!spend(compileUnits(wanted))) return false;
  const pattern = compilePattern(`^(?:${wanted})$`, {});
  return isPattern(pattern) && pattern.find(given, 0, spend) !== undefined;
}
