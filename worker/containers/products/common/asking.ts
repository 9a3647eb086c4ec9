// What the front ends of applications ask of their other services, and how they say it.
import { dialHttp, type Target, targetOf } from "./dial.ts";
import type { Page, Visit } from "../../shell/server.ts";

export const html = "text/html; charset=utf-8";
export const json = "application/json; charset=utf-8";

export function says(body: string, contentType = html, status = 200): Page {
  return { contentType, body, status };
}

/** Undefined where nobody answers well. */
export function asked(visit: Visit, service: string, path: string): string | undefined {
  const target = targetAt(visit, service);
  const answer = target && dialHttp(visit, target, path);
  return answer && "body" in answer && answer.status === 200 ? answer.body : undefined;
}

export function targetAt(visit: Visit, service: string): Target | undefined {
  const [name = "", port = ""] = service.split(":");
  return targetOf(visit, name, port);
}

/** Returns the text that a store of keys and values answers; "" for none, undefined if it cannot be reached. */
export function keyValue(visit: Visit, host: string, command: readonly string[]): string | undefined {
  const target = targetOf(visit, host, "6379");
  const request = { method: "GET", path: "/", headers: [], body: "", command };
  const reached = target && visit.reach?.({ ...target, atMs: visit.nowMs, request });
  const said = reached?.answer?.body;
  if (said === undefined) return undefined;
  return /^\$\d+\r\n([^]*)\r\n$/.exec(said)?.[1] ?? "";
}
