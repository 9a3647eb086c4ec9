// nginx's configuration as a whole: the main file with what it includes in its place, and what its blocks are.
import { limits } from "../../../../shared/base/limits.ts";
import { budgetOf, type Spend } from "../../../../shared/base/pattern.ts";
import type { Files } from "../../shell/files.ts";
import { type Directive, directivesNamed, directivesOf } from "./config.ts";

export const mainPath = "/etc/nginx/nginx.conf";
const folder = "/etc/nginx/";

/** Files of the image itself, of which no more is needed than that they are there. */
const shipped = new Set(
  "mime.types fastcgi_params uwsgi_params scgi_params koi-utf koi-win win-utf fastcgi.conf"
    .split(" ")
    .map((name) => folder + name),
);
/** Files that include each other are read so deep. */
const deepest = 10;

export interface Conf {
  readonly directives: readonly Directive[];
  /** Files that were read, in their order. */
  readonly paths: readonly string[];
  /** The first `include` that names a file which is not there. */
  readonly missing: Directive | undefined;
}

/** Work of reading a configuration, and of a character of it. */
const readWork = { file: 10, character: 0.12 } as const;

/** The budget of the expressions of one request; who asks pays for them. */
export function expressionBudget(files: Files): Spend {
  const spend = budgetOf(limits.requestPatternUnits);
  return (units) => {
    files.pays?.(units);
    return spend(units);
  };
}

export function confOf(files: Files): Conf {
  files.pays?.(readWork.file);
  const paths: string[] = [];
  let missing: Directive | undefined;
  const read = (path: string, depth: number): readonly Directive[] => {
    paths.push(path);
    const text = files.get(path)?.text ?? "";
    files.pays?.(text.length * readWork.character);
    return expanded(directivesOf(text, path), depth);
  };
  const expanded = (all: readonly Directive[], depth: number): readonly Directive[] =>
    all.flatMap((one): readonly Directive[] => {
      if (one.name !== "include" || one.body || depth > deepest)
        return [one.body ? { ...one, body: expanded(one.body, depth) } : one];
      const found = included(files, one.args[0] ?? "");
      if (found === undefined) missing ??= one;
      return (found ?? []).flatMap((path) => read(path, depth + 1));
    });
  if (files.get(mainPath)?.text !== undefined) return { directives: read(mainPath, 0), paths, missing };
  // An image of which no more is known has a main file that includes all there is.
  const all = files.below(folder.slice(0, -1)).flatMap(([path, { text }]) => (text === undefined ? [] : [path]));
  return { directives: all.flatMap((path) => read(path, 0)), paths, missing };
}

/** `conf.d/*.conf`: those that are there; undefined where one file is named that is not. */
function included(files: Files, pattern: string): readonly string[] | undefined {
  const whole = pattern.startsWith("/") ? pattern : folder + pattern;
  const star = whole.lastIndexOf("*");
  if (star < 0) {
    if (files.get(whole)?.text !== undefined) return [whole];
    return shipped.has(whole) ? [] : undefined;
  }
  const [begin, end] = [whole.slice(0, star), whole.slice(star + 1)];
  return files
    .below(begin.slice(0, begin.lastIndexOf("/")))
    .flatMap(([path, { text }]) =>
      text !== undefined &&
      path.startsWith(begin) &&
      path.endsWith(end) &&
      !path.slice(begin.length, path.length - end.length).includes("/")
        ? [path]
        : [],
    );
}

/** The block of HTTP; a configuration without one is taken to be what stands in it. */
export function httpOf({ directives }: Conf): readonly Directive[] {
  const blocks = directives.filter(({ name, body }) => name === "http" && body);
  return blocks.length === 0 ? directives : blocks.flatMap(({ body = [] }) => body);
}

export function serversIn(http: readonly Directive[]): readonly Directive[] {
  return http.filter(({ name, body }) => name === "server" && body);
}

export interface Listen {
  readonly port: number;
  readonly isTls: boolean;
  readonly isDefault: boolean;
}

/** `80`, `0.0.0.0:80`, `[::]:443 ssl default_server`; a server that does not say listens on 80. */
export function listensOf({ body = [] }: Directive): readonly Listen[] {
  const all = body.filter(({ name }) => name === "listen");
  if (all.length === 0) return [{ port: 80, isTls: false, isDefault: false }];
  return all.flatMap(({ args: [where = "", ...more] }) => {
    const text = where.slice(where.lastIndexOf(":") + 1);
    const port = /^\d+$/.test(text) ? Number(text) : where.startsWith("unix:") || where.startsWith("[") ? 0 : 80;
    return port === 0 ? [] : [{ port, isTls: more.includes("ssl"), isDefault: more.includes("default_server") }];
  });
}

export function nginxPorts(files: Files): number[] {
  return serversIn(httpOf(confOf(files))).flatMap((one) => listensOf(one).map(({ port }) => port));
}

/** The first of a name among these alone. */
export function directive(all: readonly Directive[], name: string): Directive | undefined {
  return all.find((one) => one.name === name && !one.body);
}

/** Blocks around a request, the innermost first: what an inner one does not say, an outer one may. */
export type Blocks = readonly (readonly Directive[])[];

export function inherited(blocks: Blocks, name: string): Directive | undefined {
  for (const one of blocks) {
    const found = directive(one, name);
    if (found) return found;
  }
  return undefined;
}

/** All of a name, of the innermost block that has one. */
export function allInherited(blocks: Blocks, name: string): readonly Directive[] {
  return (
    blocks.map((one) => one.filter((each) => each.name === name && !each.body)).find(({ length }) => length > 0) ?? []
  );
}

export function upstreamOf(http: readonly Directive[], name: string): Directive | undefined {
  return directivesNamed(http, "upstream").find(({ args, body }) => args[0] === name && body);
}

/** The parts of `http://host:80/path`. `name`: the host as it stands in a header; `path`: absent where none is written. */
export function targetParts(text: string):
  | {
      readonly scheme: string;
      readonly host: string;
      readonly port: number;
      readonly name: string;
      readonly path?: string;
    }
  | undefined {
  const [, scheme, host = "", port, path] = /^(https?):\/\/([^:/\s]+)(?::(\d{1,5}))?(\/.*)?$/.exec(text) ?? [];
  if (scheme === undefined) return undefined;
  return {
    scheme,
    host,
    port: Number(port ?? (scheme === "https" ? 443 : 80)),
    name: port === undefined ? host : `${host}:${port}`,
    ...(path === undefined ? {} : { path }),
  };
}
