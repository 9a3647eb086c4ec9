// What nginx answers: the server and the location for a request, what they make of it, in the order of nginx's phases, and the page.
import { statusText } from "../../../../shared/base/status-text.ts";
import { before, trimmedEnd } from "../../../../shared/base/trim.ts";
import { byteLength } from "../../../../shared/base/byte-text.ts";
import type { Headers } from "../../../../shared/k8s/outbound-call.ts";
import type { Page, Visit } from "../../shell/server.ts";
import { denied } from "./access.ts";
import type { Directive } from "./config.ts";
import type { Found } from "./found.ts";
import { fileAnswer } from "./files.ts";
import { fits, locationOf, type Location } from "./locations.ts";
import { withLogs } from "./logs.ts";
import { proxied } from "./proxy.ts";
import { rewritten } from "./rewrite.ts";
import { shownCertificate } from "./tls.ts";
import {
  allInherited,
  type Blocks,
  confOf,
  directive,
  expressionBudget,
  httpOf,
  inherited,
  listensOf,
  serversIn,
} from "./tree.ts";
import { versionOf } from "./version.ts";
import { type Asking, filled, headerOf } from "./variables.ts";

/** A request may be sent on within a server so often. */
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
    uri: decoded(uri),
    args,
    made: new Map(),
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
    return finished(asking, outer, { status: 400, contentType: "text/html", body: plainToTls(asking) });
  }
  const certificate = isTls && server ? shownCertificate(visit.files, server, http) : undefined;
  const { found, blocks } = answered(asking, outer, 0);
  const page = finished(asking, blocks, found);
  return isTls ? { ...page, isTls: true, ...(certificate ? { certificate } : {}) } : page;
}

/** By port, then by name: exact, with a star before or behind, by an expression; else the default of the port, or the first. */
function serverFor(http: readonly Directive[], visit: Visit) {
  const { port = 80 } = visit;
  const all = serversIn(http);
  const there = all.filter((one) => listensOf(one).some((each) => each.port === port));
  const host = (headerOf(visit, "host") ?? "").replace(/:\d+$/, "").toLowerCase();
  const names = (one: Directive) =>
    (one.body ?? []).filter(({ name }) => name === "server_name").flatMap((each) => each.args);
  const spend = expressionBudget(visit.files);
  const by = (isIt: (name: string) => boolean) => there.find((one) => names(one).some(isIt));
  const server =
    by((name) => name.toLowerCase() === host || (name.startsWith(".") && name.slice(1) === host)) ??
    by((name) => /^\*?\./.test(name) && host.endsWith(name.replace(/^\*/, ""))) ??
    by((name) => name.endsWith(".*") && host.startsWith(name.slice(0, -1))) ??
    by((name) => name.startsWith("~") && fits(name.slice(1), host, spend)) ??
    there.find((one) => listensOf(one).some((each) => each.port === port && each.isDefault)) ??
    there[0] ??
    all[0];
  const isTls = server !== undefined && listensOf(server).some((each) => each.port === port && each.isTls);
  return { server, isTls };
}

interface Answered {
  readonly found: Found;
  /** Those that the answer came from, the innermost first. */
  readonly blocks: Blocks;
}

/** `status`: of a page for an error, which the answer keeps. */
function answered(asking: Asking, outer: Blocks, turns: number): Answered {
  if (turns > mostTurns) return { found: { status: 500 }, blocks: outer };
  if (turns === 0) {
    const begun = rewritten(asking, outer[0] ?? []);
    if (begun.kind === "returned") return { found: begun.found, blocks: outer };
  }
  const location = locationOf(outer[0] ?? [], asking.uri, asking);
  if (!asking.spend(0)) return { found: { status: 500 }, blocks: outer };
  return inLocation(asking, outer, location, turns);
}

export function inLocation(asking: Asking, outer: Blocks, location: Location | undefined, turns: number): Answered {
  const blocks: Blocks = [...(location?.bodies ?? []), ...outer];
  const done = location ? rewritten(asking, location.bodies[0] ?? []) : { kind: "goes on" as const, more: [] };
  if (done.kind === "again") return answered(asking, outer, turns + 1);
  const inner: Blocks = done.kind === "goes on" ? [...done.more, ...blocks] : blocks;
  const found =
    done.kind === "returned" ? done.found : (denied(asking, inner) ?? contentOf(asking, inner, location, outer, turns));
  if ("blocks" in found) return found;
  return withErrorPage(asking, { found, blocks: inner }, outer, turns);
}

function contentOf(
  asking: Asking,
  blocks: Blocks,
  location: Location | undefined,
  outer: Blocks,
  turns: number,
): Found | Answered {
  const own = blocks.slice(0, blocks.length - outer.length);
  const here = own.flat();
  asking.root = rootOf(asking, blocks);
  if (directive(here, "stub_status")) return { status: 200, contentType: "text/plain", body: stubOf(asking.visit) };
  const pass = directive(here, "proxy_pass");
  if (pass) return proxied(asking, blocks, pass.args[0] ?? "", location);
  if (["fastcgi_pass", "uwsgi_pass", "scgi_pass", "grpc_pass"].some((name) => directive(here, name)))
    return { status: 502 };
  const tries = directive(here, "try_files") ?? (own.length === 0 ? directive(outer[0] ?? [], "try_files") : undefined);
  if (tries) {
    const tried = triedOf(asking, tries.args, asking.root);
    if (typeof tried === "number") return { status: tried };
    if (tried.startsWith("@")) {
      const named = namedLocation(outer[0] ?? [], tried);
      return named ? inLocation(asking, outer, named, turns + 1) : { status: 500 };
    }
    if (tried.startsWith("\0")) return sent(asking, fileAnswer(asking, blocks, location, tried.slice(1)));
    const [uri = "", args] = tried.split(/\?(.*)/s);
    asking.uri = uri;
    if (args !== undefined) asking.args = args;
    return answered(asking, outer, turns + 1);
  }
  const file = fileAnswer(asking, blocks, location);
  if (file.next === undefined) return sent(asking, file);
  asking.uri = file.next;
  return answered(asking, outer, turns + 1);
}

/** A file is read, and not posted to. */
function sent({ visit }: Asking, found: Found): Found {
  return ["GET", "HEAD"].includes(visit.method) || found.status === 301 || found.status === 404
    ? found
    : { status: 405 };
}

function namedLocation(server: readonly Directive[], name: string): Location | undefined {
  const found = server.find((one) => one.name === "location" && one.args[0] === name);
  return found && { name: "", bodies: [found.body ?? []], isExpression: true };
}

/** `$uri $uri/ /index.html =404`: a file (after a zero), another path, a location's name, or a status. */
function triedOf(asking: Asking, args: readonly string[], root: string): string | number {
  const { files } = asking.visit;
  for (const [at, arg] of args.entries()) {
    const isLast = at === args.length - 1;
    if (isLast && /^=\d{3}$/.test(arg)) return Number(arg.slice(1));
    const wanted = filled(asking, arg);
    if (isLast) return wanted;
    const full = root + wanted;
    if (full.endsWith("/") ? files.isFolder(trimmedEnd(full, "/")) : files.get(full)?.text !== undefined)
      return `\0${wanted}`;
  }
  return 404;
}

const defaultRoot = "/usr/share/nginx/html";

/** `root` as it is written is below `/etc/nginx` where it does not begin at the top. */
function rootOf(asking: Asking, blocks: Blocks): string {
  const given = inherited(blocks, "root")?.args[0];
  if (given === undefined) return defaultRoot;
  const text = trimmedEnd(filled(asking, given), "/");
  return given.startsWith("/") || given.startsWith("$") ? text : `/etc/nginx/${text}`;
}

/** `error_page 404 /404.html`, `error_page 500 502 = @fallback`, `error_page 404 =200 /empty.html`. */
function withErrorPage(asking: Asking, answer: Answered, outer: Blocks, turns: number): Answered {
  const { found, blocks } = answer;
  if (found.status < 300 || turns > mostTurns || (found.body !== undefined && !found.isIntercepted)) return answer;
  const rule = allInherited(blocks, "error_page").find(({ args }) => args.slice(0, -1).includes(String(found.status)));
  const target = rule?.args.at(-1);
  if (!rule || target === undefined) return answer;
  const set = rule.args.find((one) => one.startsWith("="));
  const own = set === undefined ? found.status : Number(set.slice(1)) || undefined;
  if (/^https?:/.test(target)) {
    const status = own !== undefined && own >= 300 && own < 400 ? own : 302;
    return { found: { status, headers: [["Location", filled(asking, target)]] }, blocks };
  }
  const named = target.startsWith("@") ? namedLocation(outer[0] ?? [], target) : undefined;
  if (!named) asking.uri = filled(asking, target);
  const next = named ? inLocation(asking, outer, named, turns + 5) : answeredAgain(asking, outer, turns);
  const problems = [...(found.problems ?? []), ...(next.found.problems ?? [])];
  const status = own ?? next.found.status;
  // A page for the error that is itself not there leaves the error's own.
  if (next.found.status >= 400 && next.found.body === undefined) return { ...answer, found: { ...found, problems } };
  return { blocks: next.blocks, found: { ...next.found, status, problems } };
}

/** What is asked for in place of a page is read, however the visitor asked. */
function answeredAgain(asking: Asking, outer: Blocks, turns: number): Answered {
  const visit = { ...asking.visit, method: asking.visit.method === "HEAD" ? "HEAD" : "GET" };
  const again: Asking = { ...asking, visit };
  return answered(again, outer, turns + 5);
}

/** The page with its headers, and the lines that nginx writes of it. */
function finished(asking: Asking, blocks: Blocks, found: Found): Page {
  const { visit } = asking;
  const isOwn = found.body === undefined;
  const body = found.body ?? failureBody(visit, found.status);
  const headers = [
    ...(found.headers ?? []),
    ...addedHeaders(asking, blocks, found.status),
    ...gzipHeaders(asking, blocks, found, body),
  ];
  const contentType = isOwn ? "text/html" : (found.contentType ?? "text/html");
  asking.status = found.status;
  asking.bytes = visit.method === "HEAD" || found.status === 204 || found.status === 304 ? 0 : byteLength(body);
  const tookMs = (found.tookMs ?? 0) + asking.waitedMs;
  const page: Page = {
    status: found.status,
    contentType,
    body: found.status === 204 || found.status === 304 ? "" : body,
    ...(headers.length > 0 ? { headers } : {}),
    ...(tookMs > 0 ? { tookMs } : {}),
  };
  return withLogs(asking, blocks, page, found.problems ?? []);
}

const withAdded = new Set([200, 201, 204, 206, 301, 302, 303, 304, 307, 308]);

/** Those of a location stand in place of its server's. */
function addedHeaders(asking: Asking, blocks: Blocks, status: number): Headers {
  return allInherited(blocks, "add_header").flatMap(({ args: [name = "", value = "", when] }) => {
    if (!withAdded.has(status) && when !== "always") return [];
    const text = filled(asking, value);
    return text === "" ? [] : [[name, text] as const];
  });
}

const gzipLeast = 20;

function gzipHeaders(
  { visit }: Asking,
  blocks: Blocks,
  { status, contentType = "text/html", isOthers }: Found,
  body: string,
): Headers {
  if (inherited(blocks, "gzip")?.args[0] !== "on" || status !== 200 || isOthers) return [];
  const types = ["text/html", ...(inherited(blocks, "gzip_types")?.args ?? [])];
  const least = Number(inherited(blocks, "gzip_min_length")?.args[0] ?? gzipLeast);
  const isAsked = /\bgzip\b/.test(headerOf(visit, "accept-encoding") ?? "");
  if (!isAsked || byteLength(body) < least || !(types.includes("*") || types.includes(contentType))) return [];
  const vary = inherited(blocks, "gzip_vary")?.args[0] === "on" ? [["Vary", "Accept-Encoding"] as const] : [];
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

/** As far as it can be read; what is no encoding stays as it is. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path).replace(/\/{2,}/g, "/");
  } catch {
    return path;
  }
}
