// nginx's answer to a request: selects the server and the location, runs nginx's phases in order, and builds the page.
import { statusText } from "../../../../shared/base/status-text.ts";
import { before, trimmedEnd } from "../../../../shared/base/trim.ts";
import { byteLength } from "../../../../shared/base/byte-text.ts";
import type { Headers } from "../../../../shared/k8s/outbound-call.ts";
import type { Page, Visit } from "../../shell/server.ts";
import { denialOf } from "./access.ts";
import type { Directive } from "./parse-config.ts";
import type { Outcome } from "./outcome.ts";
import { fileAnswer } from "./files.ts";
import { fits, locationOf, type Location } from "./locations.ts";
import { withLogs } from "./logs.ts";
import { proxyRequest } from "./proxy.ts";
import { rewriteUrl } from "./rewrite.ts";
import { shownCertificate } from "./tls.ts";
import {
  allInherited,
  type Blocks,
  confOf,
  directive,
  expressionBudget,
  httpOf,
  inheritedDirective,
  listensOf,
  serversIn,
} from "./configuration.ts";
import { versionOf } from "./version.ts";
import { type Asking, fillVariables, headerOf } from "./variables.ts";

/** The maximum number of internal redirects within a server. */
const mostTurns = 10;

export function nginxPage(visit: Visit): Page {
  const http = httpOf(confOf(visit.files));
  const { server, isTls } = serverFor(http, visit);
  const [uri = "", args = ""] = before(visit.path, "#").split(/\?(.*)/s);
  const asking: Asking = {
    visit,
    http,
    server,
    isTls,
    spend: expressionBudget(visit.files),
    uri: decodePath(uri),
    args,
    definedValues: new Map(),
    captures: [],
    status: 200,
    bytes: 0,
    upstream: undefined,
    user: "",
    root: "",
    mapDepth: 0,
    waitedMs: 0,
  };
  const outer: Blocks = [server?.body ?? [], http];
  if (isTls && visit.isTls === false) {
    return finishPage(asking, outer, { status: 400, contentType: "text/html", body: plainToTls(asking) });
  }
  const certificate = isTls && server ? shownCertificate(visit.files, server, http) : undefined;
  const { outcome, blocks } = answerIn(asking, outer, 0);
  const page = finishPage(asking, blocks, outcome);
  return isTls ? { ...page, isTls: true, ...(certificate ? { certificate } : {}) } : page;
}

/** Selects a server by port, then by name: exact, with a star before or behind, by an expression; else the port's default, or the first. */
function serverFor(http: readonly Directive[], visit: Visit) {
  const { port = 80 } = visit;
  const all = serversIn(http);
  const listening = all.filter((candidate) => listensOf(candidate).some((each) => each.port === port));
  const host = (headerOf(visit, "host") ?? "").replace(/:\d+$/, "").toLowerCase();
  const names = (candidate: Directive) =>
    (candidate.body ?? []).filter(({ name }) => name === "server_name").flatMap((each) => each.args);
  const spend = expressionBudget(visit.files);
  const by = (isIt: (name: string) => boolean) => listening.find((candidate) => names(candidate).some(isIt));
  const server =
    by((name) => name.toLowerCase() === host || (name.startsWith(".") && name.slice(1) === host)) ??
    by((name) => /^\*?\./.test(name) && host.endsWith(name.replace(/^\*/, ""))) ??
    by((name) => name.endsWith(".*") && host.startsWith(name.slice(0, -1))) ??
    by((name) => name.startsWith("~") && fits(name.slice(1), host, spend)) ??
    listening.find((candidate) => listensOf(candidate).some((each) => each.port === port && each.isDefault)) ??
    listening[0] ??
    all[0];
  const isTls = server !== undefined && listensOf(server).some((each) => each.port === port && each.isTls);
  return { server, isTls };
}

interface Answered {
  readonly outcome: Outcome;
  /** The blocks that produced the outcome, the innermost first. */
  readonly blocks: Blocks;
}

/** Finds the location of a request and its outcome. */
function answerIn(asking: Asking, outer: Blocks, turns: number): Answered {
  if (turns > mostTurns) return { outcome: { status: 500 }, blocks: outer };
  if (turns === 0) {
    const begun = rewriteUrl(asking, outer[0] ?? []);
    if (begun.kind === "returned") return { outcome: begun.outcome, blocks: outer };
  }
  const location = locationOf(outer[0] ?? [], asking.uri, asking);
  if (!asking.spend(0)) return { outcome: { status: 500 }, blocks: outer };
  return inLocation(asking, outer, location, turns);
}

export function inLocation(asking: Asking, outer: Blocks, location: Location | undefined, turns: number): Answered {
  const blocks: Blocks = [...(location?.bodies ?? []), ...outer];
  const done = location ? rewriteUrl(asking, location.bodies[0] ?? []) : { kind: "goes on" as const, more: [] };
  if (done.kind === "again") return answerIn(asking, outer, turns + 1);
  const inner: Blocks = done.kind === "goes on" ? [...done.more, ...blocks] : blocks;
  const outcome =
    done.kind === "returned"
      ? done.outcome
      : (denialOf(asking, inner) ?? contentOf(asking, inner, location, outer, turns));
  if ("blocks" in outcome) return outcome;
  return withErrorPage(asking, { outcome, blocks: inner }, outer, turns);
}

function contentOf(
  asking: Asking,
  blocks: Blocks,
  location: Location | undefined,
  outer: Blocks,
  turns: number,
): Outcome | Answered {
  const locationBlocks = blocks.slice(0, blocks.length - outer.length);
  const here = locationBlocks.flat();
  asking.root = rootOf(asking, blocks);
  if (directive(here, "stub_status")) return { status: 200, contentType: "text/plain", body: stubOf(asking.visit) };
  const pass = directive(here, "proxy_pass");
  if (pass) return proxyRequest(asking, blocks, pass.args[0] ?? "", location);
  if (["fastcgi_pass", "uwsgi_pass", "scgi_pass", "grpc_pass"].some((name) => directive(here, name)))
    return { status: 502 };
  const tries =
    directive(here, "try_files") ?? (locationBlocks.length === 0 ? directive(outer[0] ?? [], "try_files") : undefined);
  if (tries) {
    const tried = triedOf(asking, tries.args, asking.root);
    if (typeof tried === "number") return { status: tried };
    if (tried.startsWith("@")) {
      const named = namedLocation(outer[0] ?? [], tried);
      return named ? inLocation(asking, outer, named, turns + 1) : { status: 500 };
    }
    if (tried.startsWith("\0")) return refuseOtherMethods(asking, fileAnswer(asking, blocks, location, tried.slice(1)));
    const [uri = "", args] = tried.split(/\?(.*)/s);
    asking.uri = uri;
    if (args !== undefined) asking.args = args;
    return answerIn(asking, outer, turns + 1);
  }
  const file = fileAnswer(asking, blocks, location);
  if (file.next === undefined) return refuseOtherMethods(asking, file);
  asking.uri = file.next;
  return answerIn(asking, outer, turns + 1);
}

/** Refuses methods other than GET and HEAD for files. */
function refuseOtherMethods({ visit }: Asking, outcome: Outcome): Outcome {
  return ["GET", "HEAD"].includes(visit.method) || outcome.status === 301 || outcome.status === 404
    ? outcome
    : { status: 405 };
}

function namedLocation(server: readonly Directive[], name: string): Location | undefined {
  const location = server.find((candidate) => candidate.name === "location" && candidate.args[0] === name);
  return location && { name: "", bodies: [location.body ?? []], isExpression: true };
}

/** Evaluates `$uri $uri/ /index.html =404`: returns a file (after a zero), another path, the name of a location, or a status. */
function triedOf(asking: Asking, args: readonly string[], root: string): string | number {
  const { files } = asking.visit;
  for (const [at, arg] of args.entries()) {
    const isLast = at === args.length - 1;
    if (isLast && /^=\d{3}$/.test(arg)) return Number(arg.slice(1));
    const path = fillVariables(asking, arg);
    if (isLast) return path;
    const full = root + path;
    if (full.endsWith("/") ? files.isFolder(trimmedEnd(full, "/")) : files.get(full)?.text !== undefined)
      return `\0${path}`;
  }
  return 404;
}

const defaultRoot = "/usr/share/nginx/html";

/** Returns the root. A relative `root` is below `/etc/nginx`. */
function rootOf(asking: Asking, blocks: Blocks): string {
  const rootArgument = inheritedDirective(blocks, "root")?.args[0];
  if (rootArgument === undefined) return defaultRoot;
  const text = trimmedEnd(fillVariables(asking, rootArgument), "/");
  return rootArgument.startsWith("/") || rootArgument.startsWith("$") ? text : `/etc/nginx/${text}`;
}

/** Applies `error_page 404 /404.html`, `error_page 500 502 = @fallback` and `error_page 404 =200 /empty.html`. */
function withErrorPage(asking: Asking, answer: Answered, outer: Blocks, turns: number): Answered {
  const { outcome, blocks } = answer;
  if (outcome.status < 300 || turns > mostTurns || (outcome.body !== undefined && !outcome.isIntercepted))
    return answer;
  const rule = allInherited(blocks, "error_page").find(({ args }) =>
    args.slice(0, -1).includes(String(outcome.status)),
  );
  const target = rule?.args.at(-1);
  if (!rule || target === undefined) return answer;
  const statusArgument = rule.args.find((arg) => arg.startsWith("="));
  const pageStatus = statusArgument === undefined ? outcome.status : Number(statusArgument.slice(1)) || undefined;
  if (/^https?:/.test(target)) {
    const status = pageStatus !== undefined && pageStatus >= 300 && pageStatus < 400 ? pageStatus : 302;
    return { outcome: { status, headers: [["Location", fillVariables(asking, target)]] }, blocks };
  }
  const named = target.startsWith("@") ? namedLocation(outer[0] ?? [], target) : undefined;
  if (!named) asking.uri = fillVariables(asking, target);
  const next = named ? inLocation(asking, outer, named, turns + 5) : answeredAgain(asking, outer, turns);
  const problems = [...(outcome.problems ?? []), ...(next.outcome.problems ?? [])];
  const status = pageStatus ?? next.outcome.status;
  // If the error page itself does not exist, the original error remains.
  if (next.outcome.status >= 400 && next.outcome.body === undefined)
    return { ...answer, outcome: { ...outcome, problems } };
  return { blocks: next.blocks, outcome: { ...next.outcome, status, problems } };
}

/** Answers an internal redirect, which always reads the page, whatever the client's method. */
function answeredAgain(asking: Asking, outer: Blocks, turns: number): Answered {
  const visit = { ...asking.visit, method: asking.visit.method === "HEAD" ? "HEAD" : "GET" };
  const again: Asking = { ...asking, visit };
  return answerIn(again, outer, turns + 5);
}

/** Builds the page with its headers and log lines. */
function finishPage(asking: Asking, blocks: Blocks, outcome: Outcome): Page {
  const { visit } = asking;
  const isOwn = outcome.body === undefined;
  const body = outcome.body ?? failureBody(visit, outcome.status);
  const headers = [
    ...(outcome.headers ?? []),
    ...addedHeaders(asking, blocks, outcome.status),
    ...gzipHeaders(asking, blocks, outcome, body),
  ];
  const contentType = isOwn ? "text/html" : (outcome.contentType ?? "text/html");
  asking.status = outcome.status;
  asking.bytes = visit.method === "HEAD" || outcome.status === 204 || outcome.status === 304 ? 0 : byteLength(body);
  const tookMs = (outcome.tookMs ?? 0) + asking.waitedMs;
  const page: Page = {
    status: outcome.status,
    contentType,
    body: outcome.status === 204 || outcome.status === 304 ? "" : body,
    ...(headers.length > 0 ? { headers } : {}),
    ...(tookMs > 0 ? { tookMs } : {}),
  };
  return withLogs(asking, blocks, page, outcome.problems ?? []);
}

const withAdded = new Set([200, 201, 204, 206, 301, 302, 303, 304, 307, 308]);

/** Returns the added headers. Those of a location replace its server's. */
function addedHeaders(asking: Asking, blocks: Blocks, status: number): Headers {
  return allInherited(blocks, "add_header").flatMap(({ args: [name = "", value = "", when] }) => {
    if (!withAdded.has(status) && when !== "always") return [];
    const text = fillVariables(asking, value);
    return text === "" ? [] : [[name, text] as const];
  });
}

const gzipLeast = 20;

function gzipHeaders(
  { visit }: Asking,
  blocks: Blocks,
  { status, contentType = "text/html", isOthers }: Outcome,
  body: string,
): Headers {
  if (inheritedDirective(blocks, "gzip")?.args[0] !== "on" || status !== 200 || isOthers) return [];
  const types = ["text/html", ...(inheritedDirective(blocks, "gzip_types")?.args ?? [])];
  const least = Number(inheritedDirective(blocks, "gzip_min_length")?.args[0] ?? gzipLeast);
  const isAsked = /\bgzip\b/.test(headerOf(visit, "accept-encoding") ?? "");
  if (!isAsked || byteLength(body) < least || !(types.includes("*") || types.includes(contentType))) return [];
  const vary = inheritedDirective(blocks, "gzip_vary")?.args[0] === "on" ? [["Vary", "Accept-Encoding"] as const] : [];
  return [["Content-Encoding", "gzip"] as const, ...vary];
}

function stubOf(visit: Visit): string {
  const count = (visit.recent?.() ?? []).length + 1;
  return `Active connections: 1 \nserver accepts handled requests\n ${count} ${count} ${count} \nReading: 0 Writing: 1 Waiting: 0 \n`;
}

const reasons: Readonly<Record<number, string>> = {
  302: "302 Found",
  403: "403 Forbidden",
  404: "404 Not Found",
  405: "405 Not Allowed",
  408: "408 Request Time-out",
  413: "413 Request Entity Too Large",
  401: "401 Authorization Required",
  503: "503 Service Temporarily Unavailable",
  504: "504 Gateway Time-out",
};

export function productOf({ image }: Pick<Visit, "image">): string {
  return `nginx/${versionOf(image)}`;
}

export function failureBody(visit: Visit, status: number): string {
  const reason = reasons[status] ?? `${status} ${statusText(status)}`.trim();
  const end = `<hr><center>${productOf(visit)}</center>\r\n`;
  return `<html>\r\n<head><title>${reason}</title></head>\r\n<body>\r\n<center><h1>${reason}</h1></center>\r\n${end}</body>\r\n</html>\r\n`;
}

function plainToTls({ visit }: Asking): string {
  return `<html>\r\n<head><title>400 The plain HTTP request was sent to HTTPS port</title></head>\r\n<body>\r\n<center><h1>400 Bad Request</h1></center>\r\n<center>The plain HTTP request was sent to HTTPS port</center>\r\n<hr><center>${productOf(visit)}</center>\r\n</body>\r\n</html>\r\n`;
}

/** Decodes a path as far as possible. Invalid encodings remain unchanged. */
function decodePath(path: string): string {
  try {
    return decodeURIComponent(path).replace(/\/{2,}/g, "/");
  } catch {
    return path;
  }
}
