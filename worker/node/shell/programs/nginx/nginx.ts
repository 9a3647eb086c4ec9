// What nginx makes of its configuration, as far as lessons go: ports, roots, and locations that return a text.
import { limits } from "../../../../../shared/base/limits.ts";
import { budgetOf, compilePattern, compileUnits, isPattern, type Spend } from "../../../../../shared/base/pattern.ts";
import { before, trimmedEnd } from "../../../../../shared/base/trim.ts";
import type { Files } from "../../files.ts";
import { isFolder } from "../../files.ts";
import { type Directive, directivesNamed, directivesOf } from "./config.ts";

export interface Place {
  /** The file that is given; absent where an answer is written in the configuration itself. */
  readonly file?: string;
  readonly status: number;
  readonly text?: string;
  readonly location?: string;
  /** That is listed. */
  readonly folder?: string;
  readonly headers?: readonly (readonly [string, string])[];
  /** Another server answers, if it can: the status is that of one that cannot. */
  readonly proxy?: {
    readonly target: string;
    readonly path: string;
    readonly set: readonly (readonly [string, string])[];
  };
}

const defaultRoot = "/usr/share/nginx/html";

export function nginxPorts(files: Files): number[] {
  return serversOf(files).flatMap(portsOf);
}

/** The parts of `http://host:80/path`. `name`: the host as it stands in a header; `path`: absent where none is written. */
export function targetParts(
  text: string,
): { readonly host: string; readonly port: number; readonly name: string; readonly path?: string } | undefined {
  const [, scheme, host = "", port, path] = /^(https?):\/\/([^:/\s]+)(?::(\d{1,5}))?(\/.*)?$/.exec(text) ?? [];
  if (scheme === undefined) return undefined;
  return {
    host,
    port: Number(port ?? (scheme === "https" ? 443 : 80)),
    name: port === undefined ? host : `${host}:${port}`,
    ...(path === undefined ? {} : { path }),
  };
}

/** Which answer a path gets at a port. `host`: as the visitor named it. */
export function placeOf(files: Files, port: number, asked: string, host = ""): Place {
  const servers = serversOf(files);
  const there = servers.filter((one) => portsOf(one).includes(port));
  const isNamed = ({ body = [] }: Directive) =>
    directivesNamed(body, "server_name").some(({ args }) => args.includes(host.replace(/:\d+$/, "")));
  const isDefault = ({ body = [] }: Directive) =>
    directivesNamed(body, "listen").some(({ args }) => args.includes("default_server"));
  const server = there.find(isNamed) ?? there.find(isDefault) ?? there[0] ?? servers[0];
  return within(files, server?.body ?? [], asked, budgetOf(limits.requestPatternUnits), 0);
}

/** A request may be sent on within a server so often. */
const mostTurns = 10;

function within(files: Files, outer: readonly Directive[], asked: string, spend: Spend, turns: number): Place {
  const path = before(asked, "?#");
  const location = locationOf(outer, path, spend);
  if (!spend(0) || turns > mostTurns) return { status: 500 };
  const own = location?.body ?? outer;
  const headers = headersIn(own, outer);
  const more = headers.length > 0 ? { headers } : {};
  const returned = directive(own, "return") ?? directive(outer, "return");
  if (returned) return { ...returning(returned), ...more };
  const pass = directive(own, "proxy_pass");
  if (pass) return { status: 502, proxy: passing(own, outer, pass, location?.name ?? "", asked), ...more };
  if (directive(own, "stub_status")) return { status: 200, text: stub };
  const tries = directive(own, "try_files");
  if (tries) {
    const tried = firstOf(files, own, outer, tries, path);
    if (typeof tried === "number") return { status: tried };
    if (tried !== path)
      return tried.startsWith("\0")
        ? { file: tried.slice(1), status: 200, ...more }
        : within(files, outer, tried, spend, turns + 1);
  }
  return { ...fileAt(files, own, outer, location?.name ?? "", path), ...more };
}

function fileAt(
  files: Files,
  own: readonly Directive[],
  outer: readonly Directive[],
  name: string,
  path: string,
): Place {
  const alias = directive(own, "alias")?.args[0];
  const bare = alias === undefined ? rootOf(own, outer) + path : alias + path.slice(name.length);
  const index = (directive(own, "index") ?? directive(outer, "index"))?.args ?? ["index.html"];
  const wanted = bare.endsWith("/") ? index.map((one) => bare + one) : [bare];
  const file = wanted.find((one) => files.get(one)?.text !== undefined);
  if (file !== undefined) return { file, status: 200 };
  const folder = trimmedEnd(bare, "/");
  if (bare.endsWith("/")) {
    const lists = (directive(own, "autoindex") ?? directive(outer, "autoindex"))?.args[0] === "on";
    if (isFolder(files, folder || "/") && lists) return { status: 200, folder: folder || "/" };
    return { status: isFolder(files, folder) ? 403 : 404 };
  }
  return isFolder(files, bare) ? { status: 301, location: `${path}/` } : { status: 404 };
}

function rootOf(own: readonly Directive[], outer: readonly Directive[]): string {
  return trimmedEnd((directive(own, "root") ?? directive(outer, "root"))?.args[0] ?? defaultRoot, "/");
}

/** `$uri $uri/ /index.html =404`: a file (after a zero), another path, or a status. */
function firstOf(
  files: Files,
  own: readonly Directive[],
  outer: readonly Directive[],
  { args }: Directive,
  path: string,
): string | number {
  const root = rootOf(own, outer);
  for (const [at, arg] of args.entries()) {
    const isLast = at === args.length - 1;
    if (isLast && /^=\d{3}$/.test(arg)) return Number(arg.slice(1));
    const wanted = arg.replace(/\$uri/g, path).replace(/\$(is_args|args)/g, "");
    if (isLast) return wanted;
    const full = root + wanted;
    if (wanted.endsWith("/") ? isFolder(files, trimmedEnd(full, "/")) : files.get(full)?.text !== undefined)
      return wanted.endsWith("/") ? wanted : `\0${full}`;
  }
  return 404;
}

/** Those of a location stand in place of its server's. */
function headersIn(own: readonly Directive[], outer: readonly Directive[]): (readonly [string, string])[] {
  const named = (all: readonly Directive[]) => all.filter(({ name, body }) => name === "add_header" && !body);
  const chosen = named(own).length > 0 ? named(own) : named(outer);
  return chosen.map(({ args: [name = "", value = ""] }) => [name, value] as const);
}

function passing(
  own: readonly Directive[],
  outer: readonly Directive[],
  { args: [target = ""] }: Directive,
  name: string,
  asked: string,
): NonNullable<Place["proxy"]> {
  const named = (all: readonly Directive[]) => all.filter((one) => one.name === "proxy_set_header");
  const set = (named(own).length > 0 ? named(own) : named(outer)).map(
    ({ args: [header = "", value = ""] }) => [header, value] as const,
  );
  const path = targetParts(target)?.path;
  return { target, set, path: path === undefined ? asked : path + asked.slice(name.length) };
}

const stub = "Active connections: 1 \nserver accepts handled requests\n 1 1 1 \nReading: 0 Writing: 1 Waiting: 0 \n";

/** `200 "text"`, `301 https://...`, `404`. */
function returning({ args }: Directive): Place {
  const [code = "", ...rest] = args;
  const hasCode = /^\d{3}$/.test(code);
  const said = (hasCode ? rest : args).join(" ");
  const status = hasCode ? Number(code) : 302;
  return status >= 300 && status < 400
    ? { status, location: said }
    : { status, ...(said === "" ? {} : { text: said }) };
}

/** The files that count, with what is in them: those in `conf.d` where the main one includes them. */
export function configOf(files: Files): (readonly [path: string, directives: readonly Directive[]])[] {
  const mainPath = "/etc/nginx/nginx.conf";
  const text = files.get(mainPath)?.text;
  const main = directivesOf(text ?? "");
  const patterns = directivesNamed(main, "include").flatMap(({ args: [pattern = ""] }) => {
    const star = pattern.lastIndexOf("*");
    return star < 0 ? [] : [[pattern.slice(0, star), pattern.slice(star + 1)] as const];
  });
  const listed = (text === undefined ? [["/etc/nginx/", ""] as const] : patterns).flatMap(([from, end]) => {
    const begin = from.startsWith("/") ? from : `/etc/nginx/${from}`;
    const folder = begin.slice(0, begin.lastIndexOf("/"));
    return files
      .below(folder)
      .flatMap(([path, file]) =>
        path.startsWith(begin) && path.endsWith(end) && file.text !== undefined
          ? [[path, directivesOf(file.text)] as const]
          : [],
      );
  });
  return [[mainPath, main] as const, ...listed];
}

function serversOf(files: Files): Directive[] {
  return configOf(files).flatMap(([, directives]) => directivesNamed(directives, "server").filter(({ body }) => body));
}

/** `80`, `0.0.0.0:80`, `[::]:80`. */
function portsOf({ body = [] }: Directive): number[] {
  return directivesNamed(body, "listen").flatMap(({ args: [where = ""] }) => {
    const port = where.slice(where.lastIndexOf(":") + 1);
    return /^\d+$/.test(port) ? [Number(port)] : [];
  });
}

function directive(all: readonly Directive[], name: string): Directive | undefined {
  return all.find((one) => one.name === name && !one.body);
}

/** `location = /a`, `location ~* \.php$`, `location /b`. */
export function placed(args: readonly string[]): { readonly sign: string; readonly name: string } {
  const [first = "", second] = args;
  const sign = /^(?:=|~\*?|\^~)/.exec(first)?.[0] ?? "";
  return { sign, name: first.slice(sign.length) || (second ?? "") };
}

/** Exact ones first, then the longest beginning; expressions are tried between them. */
function locationOf(
  server: readonly Directive[],
  path: string,
  spend: Spend,
): { readonly name: string; readonly body: readonly Directive[] } | undefined {
  const all = directivesNamed(server, "location").map(({ args, body = [] }) => ({ ...placed(args), body }));
  const matches = (source: string, ignoresCase: boolean) => {
    const pattern = spend(compileUnits(source)) ? compilePattern(source, { ignoresCase }) : { error: "" };
    return isPattern(pattern) && pattern.test(path, spend);
  };
  const longest = all
    .filter(({ sign, name }) => (sign === "" || sign === "^~") && path.startsWith(name))
    .sort((a, b) => b.name.length - a.name.length)[0];
  return (
    all.find(({ sign, name }) => sign === "=" && name === path) ??
    (longest?.sign === "^~" ? longest : undefined) ??
    all.find(({ sign, name }) => sign.startsWith("~") && matches(name, sign === "~*")) ??
    longest
  );
}
