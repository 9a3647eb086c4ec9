// What nginx makes of its configuration, as far as lessons go: ports, roots, and locations that return a text.
import { limits } from "../../../../shared/base/limits.ts";
import { budgetOf, compilePattern, compileUnits, isPattern, type Spend } from "../../../../shared/base/pattern.ts";
import { before, trimmedEnd } from "../../../../shared/base/trim.ts";
import type { Files } from "../files.ts";
import { isFolder } from "../files.ts";
import { type Directive, directivesNamed, directivesOf } from "./nginx-config.ts";

export interface Place {
  /** The file that is given; absent where an answer is written in the configuration itself. */
  readonly file?: string;
  readonly status: number;
  readonly text?: string;
  readonly location?: string;
}

const defaultRoot = "/usr/share/nginx/html";

export function nginxPorts(files: Files): number[] {
  return serversOf(files).flatMap(portsOf);
}

/** Why it does not start, as it says it; undefined: it does. */
export function nginxProblem(files: Files): string | undefined {
  const spend = budgetOf(limits.requestPatternUnits);
  for (const [path, directives] of configOf(files)) {
    for (const { args, line } of directivesNamed(directives, "location")) {
      const { sign, name } = placed(args);
      if (!sign.startsWith("~")) continue;
      const found = spend(compileUnits(name)) ? compilePattern(name) : { error: "too much to compile" };
      if (isPattern(found)) continue;
      const why = found.error.replace("error parsing regexp: ", "");
      return `pcre2_compile() failed: ${why} in "${name}" in ${path}:${line}`;
    }
  }
  return undefined;
}

/** Which answer a path gets at a port. */
export function placeOf(files: Files, port: number, asked: string): Place {
  const path = before(asked, "?#");
  const servers = serversOf(files);
  const server = servers.find((one) => portsOf(one).includes(port)) ?? servers[0];
  const outer = server?.body ?? [];
  const spend = budgetOf(limits.requestPatternUnits);
  const location = locationOf(outer, path, spend);
  if (!spend(0)) return { status: 500 };
  const own = location?.body ?? outer;
  const returned = directive(own, "return") ?? directive(outer, "return");
  if (returned) return returning(returned);
  if (directive(own, "proxy_pass")) return { status: 502 };
  if (directive(own, "stub_status")) return { status: 200, text: stub };
  const alias = directive(own, "alias")?.args[0];
  const root = (directive(own, "root") ?? directive(outer, "root"))?.args[0] ?? defaultRoot;
  const bare =
    alias === undefined
      ? (root.endsWith("/") ? root.slice(0, -1) : root) + path
      : alias + path.slice(location?.name.length ?? 0);
  const index = (directive(own, "index") ?? directive(outer, "index"))?.args ?? ["index.html"];
  const wanted = bare.endsWith("/") ? index.map((one) => bare + one) : [bare];
  const file = wanted.find((one) => files.get(one)?.text !== undefined);
  if (file !== undefined) return { file, status: 200 };
  if (bare.endsWith("/")) return { status: isFolder(files, trimmedEnd(bare, "/")) ? 403 : 404 };
  return isFolder(files, bare) ? { status: 301, location: `${path}/` } : { status: 404 };
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
function configOf(files: Files): (readonly [path: string, directives: readonly Directive[]])[] {
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
function placed(args: readonly string[]): { readonly sign: string; readonly name: string } {
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
    all.find(({ sign, name }) => sign.startsWith("~") && matches(name, sign === "~*")) ??
    longest
  );
}
