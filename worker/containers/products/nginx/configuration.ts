// nginx's complete configuration: the main file with its includes expanded, and access to its blocks.
import { limits } from "../../../../shared/base/limits.ts";
import { budgetOf, type Spend } from "../../../../shared/base/pattern.ts";
import type { Files } from "../../shell/files.ts";
import { type Directive, directivesNamed, directivesOf } from "./parse-config.ts";

export const mainPath = "/etc/nginx/nginx.conf";
const folder = "/etc/nginx/";

/** Files of the image whose content is not needed. */
const shipped = new Set(
  "mime.types fastcgi_params uwsgi_params scgi_params koi-utf koi-win win-utf fastcgi.conf"
    .split(" ")
    .map((name) => folder + name),
);
/** The maximum depth of includes. */
const deepest = 10;

export interface Conf {
  readonly directives: readonly Directive[];
  /** The files that were read, in order. */
  readonly paths: readonly string[];
  /** The first `include` that names a missing file. */
  readonly missing: Directive | undefined;
}

/** The work of reading a configuration, and of one character of it. */
const readWork = { file: 10, character: 0.12 } as const;

/** Returns the budget for the expressions of one request. The client pays for it. */
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
    return expandIncludes(directivesOf(text, path), depth);
  };
  const expandIncludes = (all: readonly Directive[], depth: number): readonly Directive[] =>
    all.flatMap((statement): readonly Directive[] => {
      if (statement.name !== "include" || statement.body || depth > deepest)
        return [statement.body ? { ...statement, body: expandIncludes(statement.body, depth) } : statement];
      const includedPaths = includedFiles(files, statement.args[0] ?? "");
      if (includedPaths === undefined) missing ??= statement;
      return (includedPaths ?? []).flatMap((path) => read(path, depth + 1));
    });
  if (files.get(mainPath)?.text !== undefined) return { directives: read(mainPath, 0), paths, missing };
  // If the image is not known, its main file is assumed to include all other files.
  const all = files.below(folder.slice(0, -1)).flatMap(([path, { text }]) => (text === undefined ? [] : [path]));
  return { directives: all.flatMap((path) => read(path, 0)), paths, missing };
}

/** Returns the files that match `conf.d/*.conf`; undefined if a single file is named that does not exist. */
function includedFiles(files: Files, pattern: string): readonly string[] | undefined {
  const fullPattern = pattern.startsWith("/") ? pattern : folder + pattern;
  const star = fullPattern.lastIndexOf("*");
  if (star < 0) {
    if (files.get(fullPattern)?.text !== undefined) return [fullPattern];
    return shipped.has(fullPattern) ? [] : undefined;
  }
  const [begin, end] = [fullPattern.slice(0, star), fullPattern.slice(star + 1)];
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

/** Returns the http block. A configuration without one is assumed to be its content. */
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

/** Parses `80`, `0.0.0.0:80` and `[::]:443 ssl default_server`. A server without `listen` listens on 80. */
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
  return serversIn(httpOf(confOf(files))).flatMap((server) => listensOf(server).map(({ port }) => port));
}

/** Returns the first directive of a name among these. */
export function directive(all: readonly Directive[], name: string): Directive | undefined {
  return all.find((candidate) => candidate.name === name && !candidate.body);
}

/** The blocks around a request, the innermost first. An outer block applies where an inner one has no directive. */
export type Blocks = readonly (readonly Directive[])[];

export function inheritedDirective(blocks: Blocks, name: string): Directive | undefined {
  for (const block of blocks) {
    const match = directive(block, name);
    if (match) return match;
  }
  return undefined;
}

/** Returns all directives of a name from the innermost block that has any. */
export function allInherited(blocks: Blocks, name: string): readonly Directive[] {
  return (
    blocks.map((block) => block.filter((each) => each.name === name && !each.body)).find(({ length }) => length > 0) ??
    []
  );
}

export function upstreamOf(http: readonly Directive[], name: string): Directive | undefined {
  return directivesNamed(http, "upstream").find(({ args, body }) => args[0] === name && body);
}

/** Splits `http://host:80/path`. `name`: the host as in a header; `path`: undefined if there is none. */
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
