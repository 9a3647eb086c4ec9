// The server of images that are only a table: it answers each request with the first response whose method and path are the request's.
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
import { outPath } from "../from-outside.ts";
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

/** The table that was read last: one server answers many requests with the same text. */
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
  const found = responses.find((one) => hasMethod(one, method) && hasPath(one, bare));
  const other = responses.some((one) => hasPath(one, bare)) ? 405 : 404;
  const page = found ? answered(visit, found) : failure("problem" in table ? 500 : other);
  const textAt = accessLine(visit, page.status ?? 200, page.body);
  return { ...page, edits: [{ path: outPath, text: textAt(visit.nowMs), appends: true, textAt }] };
}

function hasMethod({ method }: ImageResponse, asked: string): boolean {
  return method === undefined || method === asked || (method === "GET" && asked === "HEAD");
}

function hasPath({ path }: ImageResponse, asked: string): boolean {
  return path.endsWith("*") ? asked.startsWith(path.slice(0, -1)) : asked === path;
}

function answered({ nowMs, from = "", path, host, method }: Visit, response: ImageResponse): Page {
  const { status, headers, body, delayMs, failureShare, failureStatus } = response;
  const fails = failureShare > 0 && stableFraction(JSON.stringify([host, nowMs, from, method, path])) < failureShare;
  const isType = ([name]: readonly [string, string]) => name.toLowerCase() === "content-type";
  const given = Object.entries(headers);
  const page = fails
    ? failure(failureStatus)
    : {
        status,
        contentType: given.find(isType)?.[1] ?? typeOf(body),
        headers: given.filter((one) => !isType(one)),
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
