// Commands of a RUN that create and change files. They only know files of this build, not those of the base image.
import { fits } from "./context.ts";
import type { BuiltFile } from "./layers.ts";
import type { BuildCommand, CommandCall } from "./command.ts";
import { optionsOf } from "./run-options.ts";

export const fileCommands: Readonly<Record<string, BuildCommand>> = {
  mkdir: (call) => {
    const { rest, valueOf } = optionsOf(call.args, "-m --mode");
    const mode = valueOf("-m", "--mode");
    for (const path of operands(call, rest))
      call.layers.makeFolder(path, mode === undefined ? {} : { mode: octal(call, mode) });
  },
  touch: (call) => {
    for (const path of operands(call, optionsOf(call.args, "-d -t -r").rest))
      if (!call.layers.files.has(path)) call.layers.write(path, { bytes: new Uint8Array(), mode: 0o644 });
  },
  chmod: (call) => {
    const isDeep = call.args.some((arg) => arg === "-R" || arg === "--recursive");
    const [mode = "", ...paths] = call.args.filter((arg) => !/^(-R|--recursive|-v|-f)$/.test(arg));
    for (const path of builtPaths(call, paths, isDeep))
      change(call, path, ({ mode: old }) => ({ mode: changed(call, old, mode) }));
  },
  chown: (call) => {
    const { rest, has } = optionsOf(call.args, "");
    const [owner = "", ...paths] = rest;
    for (const path of builtPaths(call, paths, has("-R", "--recursive")))
      change(call, path, () => ({ owner: ownerOf(call, owner) }));
  },
  rm: remove,
  rmdir: remove,
  cp: (call) => copyFiles(call, false),
  mv: (call) => copyFiles(call, true),
  install: (call) => {
    const { rest, has, valueOf } = optionsOf(call.args, "-m --mode -o -g");
    if (!has("-d")) call.refuse("install is not supported but for folders (-d)");
    const mode = valueOf("-m", "--mode");
    const owner = valueOf("-o");
    const more = owner === undefined ? {} : { owner: ownerOf(call, owner) };
    for (const path of operands(call, rest))
      call.layers.makeFolder(path, { ...more, ...(mode === undefined ? {} : { mode: octal(call, mode) }) });
  },
  ln: (call) => {
    const { rest, has } = optionsOf(call.args, "");
    const [to = "", at = ""] = rest;
    if (!has("-s", "--symbolic") || rest.length !== 2) call.refuse("ln is supported as ln -s <target> <link> alone");
    call.layers.write(call.pathOf(at), { link: to, mode: 0o777 });
  },
};

function operands(call: CommandCall, paths: readonly string[]): string[] {
  if (paths.length === 0) call.refuse(`${call.name} must name a path`);
  return paths.map(call.pathOf);
}

/** Returns paths that the build has created; with `isDeep` all paths below them. */
function builtPaths(call: CommandCall, paths: readonly string[], isDeep: boolean): string[] {
  return operands(call, paths).flatMap((path) => {
    const matches = matching(call, path);
    if (matches.length === 0)
      return call.refuse(`${path} is not of this Dockerfile: what the image below has cannot be changed`);
    return isDeep ? matches.flatMap((match) => [match, ...call.layers.below(match)]) : matches;
  });
}

function matching({ layers }: CommandCall, path: string): string[] {
  if (layers.files.has(path) || layers.isFolder(path)) return [path];
  if (!/[*?]/.test(path)) return [];
  const depth = path.split("/").length;
  return [...layers.files.keys()].filter(
    (candidate) => candidate.split("/").length === depth && fits(path.slice(1), candidate.slice(1)),
  );
}

function change({ layers }: CommandCall, path: string, to: (file: BuiltFile) => Partial<BuiltFile>): void {
  const file = layers.files.get(path) ?? { mode: 0o755 };
  layers.write(path, { ...file, ...to(file) });
}

function octal(call: CommandCall, mode: string): number {
  return /^[0-7]{3,4}$/.test(mode)
    ? Number.parseInt(mode, 8)
    : call.refuse(`${mode} must be octal digits such as 0755`);
}

/** Applies a mode: octal digits, or a change that scripts need: `+x`, `u+x`, `a+rx`, `go-w`. */
function changed(call: CommandCall, old: number, mode: string): number {
  if (/^[0-7]{3,4}$/.test(mode)) return Number.parseInt(mode, 8);
  const [, who = "", sign, what = ""] = /^([ugoa]*)([-+])([rwxX]+)$/.exec(mode) ?? [];
  if (sign === undefined) return call.refuse(`${mode} is no mode that is supported: use octal digits, or +x`);
  const groups = who === "" || who.includes("a") ? "ugo" : who;
  let bits = 0;
  for (const group of groups)
    for (const letter of what.toLowerCase())
      bits |= ({ r: 4, w: 2, x: 1 }[letter] ?? 0) << ({ u: 6, g: 3, o: 0 }[group] ?? 0);
  return sign === "+" ? old | bits : old & ~bits;
}

function ownerOf(call: CommandCall, text: string): string {
  return call.layers.ownerOf(text.replace(".", ":")) ?? call.refuse(`there is no user or group ${text}`);
}

function remove(call: CommandCall): void {
  const { rest, has } = optionsOf(call.args, "");
  for (const path of operands(call, rest)) {
    const matches = matching(call, path).filter(
      (candidate) => call.layers.files.has(candidate) || call.layers.below(candidate).length > 0,
    );
    // `rm -f` accepts missing files. The caches of package managers never exist.
    if (matches.length === 0 && !has("-f", "--force") && !/^\/var\/(cache|lib\/apt)\//.test(path))
      call.refuse(`${path} is not of this Dockerfile: what the image below has cannot be removed`);
    for (const removed of matches.flatMap((each) => [each, ...call.layers.below(each)]))
      call.layers.files.delete(removed);
  }
}

function copyFiles(call: CommandCall, isMoved: boolean): void {
  const { rest } = optionsOf(call.args, "-t");
  if (rest.length < 2) call.refuse(`${call.name} must name two paths`);
  const { layers } = call;
  const target = call.pathOf(rest.at(-1) ?? "");
  const isInto = layers.isFolder(target) || (rest.at(-1) ?? "").endsWith("/") || rest.length > 2;
  for (const source of builtPaths(call, rest.slice(0, -1), false)) {
    const to = isInto ? `${target === "/" ? "" : target}${source.slice(source.lastIndexOf("/"))}` : target;
    for (const path of [source, ...layers.below(source)]) {
      const file = layers.files.get(path);
      if (file) layers.write(to + path.slice(source.length), file);
      if (isMoved) layers.files.delete(path);
    }
  }
}
