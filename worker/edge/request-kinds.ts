// The kinds of requests to a sandbox, each with its handler. Most kinds hold something open for the client at the edge.
import { must } from "../../shared/base/assert.ts";
import { harden, isHardened } from "../../shared/contract/hardened.ts";
import { tunnelPath } from "../../shared/contract/tunnel.ts";
import type { ClusterStub } from "./cluster-stub.ts";
import type { Lifeline } from "./lifeline.ts";
import { followLog, isFollowedLog, isLog } from "./logs/follow.ts";
import { logOverSocket } from "./logs/socket.ts";
import { holdSocket } from "./outside/held-socket.ts";
import { isSession, openSession } from "./session/bridge.ts";
import { isForward, openForward } from "./session/port-forward.ts";
import { withoutUpgrade } from "./session/upgrade-headers.ts";
import { bridgeWatch } from "./watch/bridge.ts";
import type { Holder, Holding } from "./watch/holdings.ts";
import { isWatch } from "./watch/request.ts";

/** The properties of a request that decide its kind. */
export interface RequestShape {
  readonly method: string;
  /** The URL as the cluster sees it. */
  readonly url: URL;
  /** True if the client requests a WebSocket. */
  readonly upgrade: boolean;
}

/** An authenticated request, with the headers for the cluster. */
export interface AuthenticatedRequest extends RequestShape {
  readonly headers: Headers;
  readonly body: Request["body"];
  /** Aborts when the client disconnects, or at the end of the lifeline. */
  readonly signal: AbortSignal;
  /** The milliseconds until the client's token ends. */
  readonly leftMs: number;
  /** Undefined if the kind is not held. */
  readonly lifeline: Lifeline | undefined;
  nowMs(): number;
  /** Opens an account of the memory that this sandbox's watches hold. */
  openHolding(holder: Holder): Holding;
}

export interface RequestKind {
  matches(request: RequestShape): boolean;
  /** True if the edge holds the connection open, so that the end of the token or the sandbox must close it. */
  readonly isHeld: boolean;
  handle(request: AuthenticatedRequest, cluster: ClusterStub): Promise<Response>;
}

const followedLogOverSocket: RequestKind = {
  matches: ({ upgrade, method, url }) => upgrade && isFollowedLog(method, url),
  isHeld: true,
  handle: async ({ url, headers, signal, leftMs, lifeline }, cluster) => {
    const answer = await followLog({ url, headers: withoutUpgrade(headers), signal, leftMs }, cluster);
    return hardenResponse(logOverSocket(answer, headers, () => lifeline?.release()));
  },
};

const logOverWebSocket: RequestKind = {
  matches: ({ upgrade, method, url }) => upgrade && isLog(method, url),
  isHeld: false,
  handle: async ({ url, headers }, cluster) => {
    const answer = await cluster.fetch(url.href, { headers: withoutUpgrade(headers), redirect: "manual" });
    return hardenResponse(logOverSocket(answer, headers, () => undefined));
  },
};

const followedLog: RequestKind = {
  matches: ({ method, url }) => isFollowedLog(method, url),
  isHeld: true,
  handle: async ({ url, headers, signal, leftMs }, cluster) =>
    hardenResponse(await followLog({ url, headers, signal, leftMs }, cluster)),
};

const commandSession: RequestKind = sessionKind(isSession, openSession);
const portForward: RequestKind = sessionKind(isForward, openForward);

/** Watches use a socket of the cluster, which ends it itself. */
const watch: RequestKind = {
  matches: ({ method, url }) => isWatch(method, url),
  isHeld: false,
  handle: ({ url, headers, upgrade, signal, leftMs, openHolding }, cluster) =>
    bridgeWatch({ url, headers, upgrade, signal, leftMs, hold: openHolding }, cluster),
};

/** The cluster ends the socket of a tunnel itself. */
const tunnel: RequestKind = {
  matches: ({ upgrade, url }) => upgrade && url.pathname === tunnelPath,
  isHeld: false,
  handle: async ({ url, method, headers }, cluster) =>
    hardenResponse(holdSocket(await cluster.fetch(url.href, { method, headers, redirect: "manual" }))),
};

const plainRequest: RequestKind = {
  matches: () => true,
  isHeld: false,
  handle: async ({ url, method, headers, body }, cluster) =>
    hardenResponse(await cluster.fetch(url.href, { method, headers, body, redirect: "manual" })),
};

/** The kinds in the order in which they are tried. A request that matches none is a plain one. */
const requestKinds = [
  followedLogOverSocket,
  logOverWebSocket,
  followedLog,
  commandSession,
  portForward,
  watch,
  tunnel,
] as const satisfies readonly RequestKind[];

export function requestKindOf(request: RequestShape): RequestKind {
  return requestKinds.find((kind) => kind.matches(request)) ?? plainRequest;
}

/** Returns a kind of upgrade to a WebSocket that ends at the edge. */
function sessionKind(matchesUrl: (url: URL) => boolean, open: typeof openSession): RequestKind {
  return {
    matches: ({ upgrade, url }) => upgrade && matchesUrl(url),
    isHeld: true,
    handle: async ({ url, method, headers, lifeline, nowMs }, cluster) =>
      hardenResponse(
        await open({ url, method, headers, lifeline: must(lifeline, "the lifeline of a session"), nowMs }, cluster),
      ),
  };
}

/** Adds security headers to responses of others; the cluster's own responses have them. */
export function hardenResponse(response: Response): Response {
  if (response.status === 101 || isHardened(response.headers)) return response;
  const hardened = new Response(response.body, response);
  harden(hardened.headers);
  return hardened;
}
