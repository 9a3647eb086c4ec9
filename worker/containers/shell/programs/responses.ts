// The server of images that contain only a table of responses: it answers a request with the first response that has its method and path.
import { before } from "../../../../shared/base/trim.ts";
import { stableFraction } from "../../../../shared/base/stable.ts";
import { statusText } from "../../../../shared/base/status-text.ts";
import {
  type ImageResponse,
  type ResponsesFile,
  responsesFile,
  responsesPath,
  responsesProgram,
} from "../../../../shared/contract/cluster/image/responses.ts";
import { sentenceOf } from "../../../../shared/contract/issue-sentence.ts";
import type { Task } from "../../../../shared/shell/task.ts";
import { outPath } from "../outside-input.ts";
import { listenAs } from "../listen.ts";
import type { ProgramCall, Programs } from "../program.ts";
import { accessLine } from "../log-lines.ts";
import type { Page, Visit } from "../server.ts";

export const responsesPrograms: Programs = { [responsesProgram]: serveResponses };

function* serveResponses(call: ProgramCall): Task<number> {
  const { process, out, err } = call;
  const table = tableOf(process.files.get(responsesPath)?.text);
  if ("problem" in table) {
    err(`${responsesProgram}: ${responsesPath}: ${table.problem}\n`);
    return 1;
  }
  out(`listening on ${table.ports.map((port) => `:${port}`).join(", ")}\n`);
  return yield* listenAs(call, { answer: responsePage }, table.ports);
}

type Read = ResponsesFile | { readonly problem: string };

/** The last parsed table, since one server answers many requests with the same text. */
let last: { readonly text: string; readonly table: Read } | undefined;

function tableOf(text: string | undefined): Read {
  if (text === undefined) return { problem: "no such file" };
  if (last?.text !== text) last = { text, table: readTable(text) };
  return last.table;
}

function readTable(text: string): Read {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { problem: "is not valid JSON" };
  }
  const read = responsesFile.safeParse(value, { error: sentenceOf });
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  return { problem: `${issue?.path.join(".") ?? ""}: ${issue?.message ?? "is not valid"}` };
}

export function responsePage(visit: Visit): Page {
  const { method, path, files } = visit;
  const table = tableOf(files.get(responsesPath)?.text);
  const bare = before(path, "?#");
  const responses = "problem" in table ? [] : table.responses;
  const response = responses.find((candidate) => hasMethod(candidate, method) && hasPath(candidate, bare));
  const failureStatus = responses.some((candidate) => hasPath(candidate, bare)) ? 405 : 404;
  const page = response ? answered(visit, response) : failure("problem" in table ? 500 : failureStatus);
  const textAt = accessLine(visit, page.status ?? 200, page.body);
  return { ...page, edits: [{ path: outPath, text: textAt(visit.nowMs), appends: true, textAt }] };
}

function hasMethod({ method }: ImageResponse, requestMethod: string): boolean {
  return method === undefined || method === requestMethod || (method === "GET" && requestMethod === "HEAD");
}

function hasPath({ path }: ImageResponse, requestPath: string): boolean {
  return path.endsWith("*") ? requestPath.startsWith(path.slice(0, -1)) : requestPath === path;
}

function answered({ nowMs, from = "", path, host, method }: Visit, response: ImageResponse): Page {
  const { status, headers, body, delayMs, failureShare, failureStatus } = response;
  const fails = failureShare > 0 && stableFraction(JSON.stringify([host, nowMs, from, method, path])) < failureShare;
  const isType = ([name]: readonly [string, string]) => name.toLowerCase() === "content-type";
  const entries = Object.entries(headers);
  const page = fails
    ? failure(failureStatus)
    : {
        status,
        contentType: entries.find(isType)?.[1] ?? typeOf(body),
        headers: entries.filter((entry) => !isType(entry)),
        body,
      };
  return { ...page, tookMs: delayMs, ...(failureShare > 0 ? { isPassing: true } : {}) };
}

function failure(status: number): Page {
  return { status, contentType: "text/plain; charset=utf-8", body: `${statusText(status)}\n` };
}

function typeOf(body: string): string {
  if (/^\s*[[{]/.test(body)) return "application/json";
  return /^\s*</.test(body) ? "text/html; charset=utf-8" : "text/plain; charset=utf-8";
}
