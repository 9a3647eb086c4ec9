// nginx as a proxy: sends a request on its client's behalf and returns the answer, or the error if there is none.
import { stableHash } from "../../../../shared/base/stable.ts";
import type { Headers } from "../../../../shared/k8s/outbound-call.ts";
import type { Reached } from "../../shell/contact.ts";
import { pageOfOutside } from "../../shell/programs/http.ts";
import { isAddress } from "../../shell/programs/names/resolve.ts";
import type { Visit } from "../../shell/server.ts";
import type { Outcome } from "./outcome.ts";
import type { Directive } from "./parse-config.ts";
import type { Location } from "./locations.ts";
import type { Problem } from "./logs.ts";
import { secondsOf } from "./seconds.ts";
import { allInherited, type Blocks, inheritedDirective, targetParts, upstreamOf } from "./configuration.ts";
import { type Asking, fillVariables } from "./variables.ts";

interface Peer {
  readonly host: string;
  readonly port: number;
  readonly weight: number;
  readonly isBackup: boolean;
}

type Parts = NonNullable<ReturnType<typeof targetParts>>;

/** Proxies a request. The status is 502 if the server cannot be reached, and 504 if it does not answer. */
export function proxyRequest(asking: Asking, blocks: Blocks, target: string, location: Location | undefined): Outcome {
  const { visit, http } = asking;
  const url = targetParts(fillVariables(asking, target));
  if (!url) return { status: 500, problems: [{ text: `invalid URL prefix in "${fillVariables(asking, target)}"` }] };
  const upstream = upstreamOf(http, url.host);
  if (!upstream && target.includes("$") && !isAddress(url.host)) {
    if (!inheritedDirective(blocks, "resolver"))
      return { status: 502, problems: [{ text: `no resolver defined to resolve ${url.host}` }] };
    if (addressOf(visit, url.host) === undefined)
      return { status: 502, problems: [{ text: `${url.host} could not be resolved (3: Host not found)` }] };
  }
  const path = pathOf(asking, url, target, location);
  const headers = headersOf(asking, blocks, url);
  const problems: Problem[] = [];
  let failed: Outcome = { status: 502 };
  let waitedMs = 0;
  for (const peer of peersOf(asking, upstream, url)) {
    const address = addressOf(visit, peer.host);
    if (address === undefined) continue;
    const where = `${address}:${peer.port}`;
    const request = { method: visit.method, path, headers, body: visit.body, isTls: url.scheme === "https" };
    const reached = visit.reach?.({ address, port: peer.port, atMs: visit.nowMs + waitedMs, request }) ?? {
      kind: "refused",
    };
    const failure = failureOf(reached, blocks);
    asking.upstream = { address: where, status: String(failure?.status ?? reached.answer?.status ?? 200) };
    if (!failure) return { ...relayedOutcome(asking, blocks, reached, url, location), problems };
    problems.push({ text: failure.text, upstream: `${url.scheme}://${where}${path}` });
    waitedMs += failure.tookMs;
    failed = { status: failure.status };
  }
  if (problems.length === 0)
    problems.push({
      text: "no live upstreams while connecting to upstream",
      upstream: `${url.scheme}://${url.host}${path}`,
    });
  return { ...failed, problems, tookMs: waitedMs };
}

/** Returns why a server gave no answer, in nginx's words; undefined if it answered. */
function failureOf(
  reached: Reached,
  blocks: Blocks,
): { readonly status: number; readonly text: string; readonly tookMs: number } | undefined {
  const readMs = secondsOf(inheritedDirective(blocks, "proxy_read_timeout")?.args[0], 60) * 1000;
  const { kind, answer, tookMs = 0 } = reached;
  if (answer ? tookMs > readMs : kind === "outside" && tookMs > readMs)
    return {
      status: 504,
      text: "upstream timed out (110: Connection timed out) while reading response header from upstream",
      tookMs: readMs,
    };
  if (answer || kind === "outside") return undefined;
  if (kind === "dropped") {
    const connectMs = secondsOf(inheritedDirective(blocks, "proxy_connect_timeout")?.args[0], 60) * 1000;
    return {
      status: 504,
      text: "upstream timed out (110: Connection timed out) while connecting to upstream",
      tookMs: connectMs,
    };
  }
  if (kind === "unreachable")
    return { status: 502, text: "connect() failed (113: No route to host) while connecting to upstream", tookMs: 3100 };
  if (kind === "refused")
    return { status: 502, text: "connect() failed (111: Connection refused) while connecting to upstream", tookMs: 0 };
  return {
    status: 502,
    text: "upstream prematurely closed connection while reading response header from upstream",
    tookMs: 0,
  };
}

/** Converts another server's answer into the outcome for the client. */
function relayedOutcome(
  asking: Asking,
  blocks: Blocks,
  reached: Reached,
  url: Parts,
  location: Location | undefined,
): Outcome {
  const outside = pageOfOutside({ scheme: url.scheme, host: url.host, port: url.port, path: asking.visit.path });
  const { status, contentType, body, headers = [] } = reached.answer ?? outside;
  const hidden = new Set(allInherited(blocks, "proxy_hide_header").map(({ args }) => (args[0] ?? "").toLowerCase()));
  const visibleHeaders = headers.filter(([name]) => !hidden.has(name.toLowerCase()));
  const isIntercepted = status >= 300 && inheritedDirective(blocks, "proxy_intercept_errors")?.args[0] === "on";
  const base = `${url.scheme}://${url.name}${url.path ?? ""}`;
  const isOwn = inheritedDirective(blocks, "proxy_redirect") === undefined && url.path !== undefined;
  return {
    status,
    contentType,
    body,
    headers: visibleHeaders.map(([name, value]) =>
      isOwn && name.toLowerCase() === "location" && value.startsWith(base)
        ? [name, (location?.name ?? "/") + value.slice(base.length)]
        : [name, value],
    ),
    tookMs: reached.tookMs ?? 0,
    isOthers: true,
    ...(isIntercepted ? { isIntercepted } : {}),
  };
}

/** Returns the upstream path: the rest after `location` if `proxy_pass` has a path of its own, else the request's path. */
function pathOf({ visit, uri, args }: Asking, { path }: Parts, target: string, location: Location | undefined): string {
  const query = args === "" ? "" : `?${args}`;
  if (target.includes("$") && path !== undefined) return path;
  if (path !== undefined)
    return path + encodeURI(uri.slice(location?.isExpression ? 0 : (location?.name.length ?? 0))) + query;
  const isAsAsked = decodeURIOf(visit.path.split("?")[0] ?? "") === uri;
  return isAsAsked && (visit.path.split(/\?(.*)/s)[1] ?? "") === args ? visit.path : encodeURI(uri) + query;
}

function decodeURIOf(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Returns servers in the order in which they are tried: by weight and in turn; backups last. */
function peersOf(asking: Asking, upstream: Directive | undefined, { host, port }: Parts): readonly Peer[] {
  if (!upstream) return [{ host, port, weight: 1, isBackup: false }];
  const { visit } = asking;
  const all = (upstream.body ?? [])
    .filter(({ name, args }) => name === "server" && !args.includes("down"))
    .map(({ args }): Peer => {
      const [, name = "", peerPort = "80"] = /^(.*?)(?::(\d+))?$/.exec(args[0] ?? "") ?? [];
      const weight = Number(args.find((arg) => arg.startsWith("weight="))?.slice(7) ?? 1) || 1;
      return {
        host: name,
        port: Number(peerPort),
        weight: Math.min(weight, mostWeight),
        isBackup: args.includes("backup"),
      };
    });
  const key = (upstream.body ?? []).find(({ name }) => name === "hash")?.args[0];
  const isByAddress = upstream.body?.some(({ name }) => name === "ip_hash");
  const chosen = isByAddress
    ? (visit.from ?? "")
    : key === undefined
      ? `${visit.address}/${visit.nowMs}`
      : fillVariables(asking, key);
  const usual = all.filter(({ isBackup }) => !isBackup);
  const turns = usual.flatMap((peer) => Array<Peer>(peer.weight).fill(peer));
  const first = turns[stableHash(chosen) % Math.max(1, turns.length)];
  const at = first ? usual.indexOf(first) : 0;
  return [...usual.slice(at), ...usual.slice(0, at), ...all.filter(({ isBackup }) => isBackup)];
}

const mostWeight = 100;

function addressOf(visit: Visit, host: string): string | undefined {
  if (isAddress(host)) return host;
  if (!/^[\w.-]{1,253}$/.test(host)) return undefined;
  return visit.resolve?.(host);
}

function headersOf(asking: Asking, blocks: Blocks, { name }: Parts): Headers {
  const set = allInherited(blocks, "proxy_set_header").map(
    ({ args: [header = "", value = ""] }) =>
      [header, fillVariables(asking, value === "$proxy_host" ? name : value)] as const,
  );
  const names = new Set(["host", "connection", "keep-alive", ...set.map(([header]) => header.toLowerCase())]);
  const hasHost = set.some(([header]) => header.toLowerCase() === "host");
  const hasConnection = set.some(([header]) => header.toLowerCase() === "connection");
  return [
    ...(hasHost ? [] : [["Host", name] as const]),
    ...(hasConnection ? [] : [["Connection", "close"] as const]),
    ...asking.visit.headers.filter(([header]) => !names.has(header.toLowerCase())),
    ...set.filter(([, value]) => value !== ""),
  ];
}
