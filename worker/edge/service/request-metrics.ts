// Counts requests and their times, and sends the counts of this isolate to the metrics object some seconds later.
import { waitUntil } from "cloudflare:workers";
import { count, flushMs, flushNow, type MetricsNamespace, observe } from "../../metrics/record.ts";
import { requestRoute } from "./request-route.ts";
import { routeOf } from "./served-routes.ts";

const methods: readonly string[] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
/** The milliseconds after which another request sends the counts, if the one that was to send them was cut off. */
const patienceMs = 3 * flushMs;
let waitingUntilMs = Number.NEGATIVE_INFINITY;

export interface AnsweredRequest {
  readonly request: Request;
  /** The URL as its sandbox sees it; undefined if it is none of a sandbox. */
  readonly sandboxUrl: URL | undefined;
  readonly isControl: boolean;
  readonly status: number;
  readonly milliseconds: number;
}

export function countRequest({ request, sandboxUrl, isControl, status, milliseconds }: AnsweredRequest): void {
  const method = methods.includes(request.method) ? request.method : "other";
  const kind = sandboxUrl ? "kubernetes" : isControl ? "control" : "page";
  const [route, verb] = sandboxUrl
    ? requestRoute(method, sandboxUrl)
    : ([isControl ? routeOf(request) : "page", method] as const);
  count("sandbar_requests_total", kind, route, verb, String(status));
  observe("sandbar_request_seconds", milliseconds / 1000, kind, route, verb);
}

/** Sends the counts later, once for all requests of the next seconds. */
export function flushLater(metrics: MetricsNamespace | undefined, nowMs: number): void {
  if (!metrics || nowMs < waitingUntilMs) return;
  waitingUntilMs = nowMs + patienceMs;
  waitUntil(flushAfterWait(metrics, nowMs));
}

async function flushAfterWait(metrics: MetricsNamespace, nowMs: number): Promise<void> {
  await scheduler.wait(flushMs);
  waitingUntilMs = Number.NEGATIVE_INFINITY;
  await flushNow(metrics, nowMs + flushMs);
}
