// Requests of applications' front ends to their other services, and their pages.
import { dialHttp, type Target, targetOf } from "./dial.ts";
import type { Page, Visit } from "../../shell/server.ts";

export const html = "text/html; charset=utf-8";
export const json = "application/json; charset=utf-8";

export function textPage(body: string, contentType = html, status = 200): Page {
  return { contentType, body, status };
}

/** Requests a path of another service. Returns undefined unless the answer has status 200. */
export function fetchText(visit: Visit, service: string, path: string): string | undefined {
  const target = targetAt(visit, service);
  const answer = target && dialHttp(visit, target, path);
  return answer && "body" in answer && answer.status === 200 ? answer.body : undefined;
}

export function targetAt(visit: Visit, service: string): Target | undefined {
  const [name = "", port = ""] = service.split(":");
  return targetOf(visit, name, port);
}

/** Returns the reply of a key-value store; "" for none, undefined if it cannot be reached. */
export function keyValue(visit: Visit, host: string, command: readonly string[]): string | undefined {
  const target = targetOf(visit, host, "6379");
  const request = { method: "GET", path: "/", headers: [], body: "", command };
  const reached = target && visit.reach?.({ ...target, atMs: visit.nowMs, request });
  const responseBody = reached?.answer?.body;
  if (responseBody === undefined) return undefined;
  return /^\$\d+\r\n([^]*)\r\n$/.exec(responseBody)?.[1] ?? "";
}
