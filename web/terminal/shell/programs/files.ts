// Programs for the terminal's files: `ls`, `cp`, `mv`, `rm`, `mkdir`, `rmdir`, `touch`, `find`, `stat`, `du`, `chmod`.
import { absolute } from "../../../../shared/shell/paths.ts";
import { byteLength } from "../../../../shared/base/byte-text.ts";
import { trimmedEnd } from "../../../../shared/base/trim.ts";
import { charge } from "../../../../shared/shell/meter.ts";
import { globMatches, globOf } from "../../../../shared/shell/patterns/glob.ts";
import { type ProgramCall, filesOf, optionsOf, pathOf, type Programs } from "../program.ts";
import { inColumns } from "../line/columns.ts";

export const filePrograms: Programs = {
  ls,
  cp: (call) => copy(call, false),
  mv: (call) => copy(call, true),
  rm,
  mkdir,
  rmdir: (call) => {
    for (const name of call.args.filter((argument) => !argument.startsWith("-"))) {
      const inside = filesOf(call).list(pathOf(call, name));
      if (!inside) throw new Error(`failed to remove '${name}': No such file or directory`);
      if (inside.length > 0) throw new Error(`failed to remove '${name}': Directory not empty`);
      filesOf(call).remove(pathOf(call, name));
    }
    return 0;
  },
  touch: (call) => {
    for (const name of call.args.filter((argument) => !argument.startsWith("-"))) {
      const path = pathOf(call, name);
      if (filesOf(call).read(path) === undefined && !filesOf(call).list(path)) writeInFolder(call, name, "");
    }
    return 0;
  },
  find,
  du: (call) => {
    const options = optionsOf(call.args, "shac");
    for (const name of options.rest.length > 0 ? options.rest : ["."])
      call.out.write(`${Math.ceil(sizeBelow(call, pathOf(call, name)) / 1024)}\t${name}\n`);
    return 0;
  },
  // All files are readable, writable and executable here.
  chmod: () => 0,
  realpath: (call) => {
    for (const name of call.args) call.out.write(`${pathOf(call, name)}\n`);
    return 0;
  },
};

function sizeBelow(call: ProgramCall, path: string): number {
  const text = filesOf(call).read(path);
  if (text !== undefined) return byteLength(text);
  return (filesOf(call).list(path) ?? []).reduce((sum, name) => sum + sizeBelow(call, absolute(name, path)), 0);
}

function ls(call: ProgramCall): number {
  const options = optionsOf(call.args, "alhA1tRrdFS --all --color --color=");
  const files = filesOf(call);
  const isShown = (name: string) => options.has("a", "A", "all") || !name.startsWith(".");
  const names = options.rest.length > 0 ? options.rest : ["."];
  let code = 0;
  const singles: string[] = [];
  const folders: string[] = [];
  for (const name of names) {
    const path = pathOf(call, name);
    if (files.read(path) !== undefined || (options.has("d") && files.list(path))) singles.push(name);
    else if (files.list(path)) folders.push(name);
    else {
      call.err.write(`ls: cannot access '${name}': No such file or directory\n`);
      code = 2;
    }
  }
  const show = (folder: string, inside: readonly string[]) => {
    if (options.has("l")) for (const name of inside) call.out.write(longLine(call, absolute(name, folder), name));
    else if (call.out.isTerminal && !options.has("1")) {
      const cells = inside.map((name) => ({
        text: name,
        isStrong: files.list(absolute(name, folder)) !== undefined,
      }));
      call.out.write(inColumns(cells, call.shell.machine.device.size().columns));
    } else for (const name of inside) call.out.write(`${name}\n`);
  };
  show(call.shell.folder, singles);
  const all = options.has("R") ? folders.flatMap((name) => [name, ...foldersBelow(call, name)]) : folders;
  for (const [at, name] of all.entries()) {
    if (all.length + singles.length > 1) call.out.write(`${at > 0 || singles.length > 0 ? "\n" : ""}${name}:\n`);
    const inside = (files.list(pathOf(call, name)) ?? []).filter(isShown);
    show(pathOf(call, name), options.has("r") ? inside.reverse() : inside);
  }
  return code;
}

function foldersBelow(call: ProgramCall, name: string): string[] {
  return (filesOf(call).list(pathOf(call, name)) ?? [])
    .map((folder) => `${name}/${folder}`)
    .filter((folder) => filesOf(call).list(pathOf(call, folder)))
    .flatMap((folder) => [folder, ...foldersBelow(call, folder)]);
}

/** Formats a file like `ls -l`. Times of files are not stored. */
function longLine(call: ProgramCall, path: string, name: string): string {
  const text = filesOf(call).read(path);
  const size = text === undefined ? 4096 : byteLength(text);
  return `${text === undefined ? "drwxr-xr-x" : "-rwxr-xr-x"} 1 user user ${String(size).padStart(7)} ${name}${text === undefined ? "/" : ""}\n`;
}

function copy(call: ProgramCall, isMove: boolean): number {
  const options = optionsOf(call.args, "rRafvnpiT --recursive --force");
  const names = [...options.rest];
  const target = names.pop();
  if (target === undefined || names.length === 0) {
    throw new Error(
      target === undefined ? "missing file operand" : `missing destination file operand after '${target}'`,
    );
  }
  const files = filesOf(call);
  const isInto = files.list(pathOf(call, target)) !== undefined;
  if (names.length > 1 && !isInto) throw new Error(`target '${target}': No such file or directory`);
  for (const name of names) {
    const from = pathOf(call, name);
    const to = isInto
      ? absolute(trimmedEnd(name, "/").split("/").at(-1) ?? "", pathOf(call, target))
      : pathOf(call, target);
    if (from === to) throw new Error(`'${name}' and '${target}' are the same file`);
    const text = files.read(from);
    if (text !== undefined) writeInFolder(call, to, text);
    else if (!files.list(from)) throw new Error(`cannot stat '${name}': No such file or directory`);
    else if (!isMove && !options.has("r", "R", "a", "recursive"))
      throw new Error(`-r not specified; omitting directory '${name}'`);
    else if (to.startsWith(`${from}/`)) throw new Error(`cannot copy a directory, '${name}', into itself, '${target}'`);
    else copyFolder(call, from, to);
    if (isMove) files.remove(from);
  }
  return 0;
}

function copyFolder(call: ProgramCall, from: string, to: string): void {
  const files = filesOf(call);
  if (!files.list(to)) files.makeFolder(to);
  for (const name of files.list(from) ?? []) {
    const [source, target] = [absolute(name, from), absolute(name, to)];
    const text = files.read(source);
    if (text === undefined) copyFolder(call, source, target);
    else files.write(target, text);
  }
}

function writeInFolder(call: ProgramCall, name: string, text: string): void {
  const path = pathOf(call, name);
  const folder = path.slice(0, path.lastIndexOf("/")) || "/";
  if (!filesOf(call).list(folder)) throw new Error(`cannot create '${name}': No such file or directory`);
  filesOf(call).write(path, text);
}

function rm(call: ProgramCall): number {
  const options = optionsOf(call.args, "rRfiv --recursive --force");
  const files = filesOf(call);
  for (const name of options.rest) {
    const path = pathOf(call, name);
    const isFolder = files.list(path) !== undefined;
    if (files.read(path) === undefined && !isFolder) {
      if (!options.has("f", "force")) throw new Error(`cannot remove '${name}': No such file or directory`);
    } else if (isFolder && !options.has("r", "R", "recursive"))
      throw new Error(`cannot remove '${name}': Is a directory`);
    else if (path === "/" || `${call.shell.folder}/`.startsWith(`${path}/`))
      throw new Error(`refusing to remove '${name}': it is where you are`);
    else files.remove(path);
  }
  return 0;
}

function mkdir(call: ProgramCall): number {
  const options = optionsOf(call.args, "pvm: --parents");
  const files = filesOf(call);
  for (const name of options.rest) {
    const path = pathOf(call, name);
    const isThere = files.list(path) !== undefined || files.read(path) !== undefined;
    if (isThere) {
      if (!options.has("p", "parents")) throw new Error(`cannot create directory '${name}': File exists`);
      continue;
    }
    if (!options.has("p", "parents") && !files.list(absolute("..", path)))
      throw new Error(`cannot create directory '${name}': No such file or directory`);
    files.makeFolder(path);
  }
  return 0;
}

function find(call: ProgramCall): number {
  const { args, out } = call;
  const split = args.findIndex((argument) => argument.startsWith("-"));
  const starts = split < 0 ? args : args.slice(0, split);
  const tests = split < 0 ? [] : args.slice(split);
  const valueOf = (name: string) => (tests.includes(name) ? tests[tests.indexOf(name) + 1] : undefined);
  const unknown = tests.find(
    (argument) =>
      argument.startsWith("-") && !["-name", "-iname", "-type", "-maxdepth", "-print", "-path"].includes(argument),
  );
  if (unknown !== undefined) throw new Error(`unknown predicate \`${unknown}'`);
  const most = Number(valueOf("-maxdepth") ?? Number.POSITIVE_INFINITY);
  const glob = valueOf("-name") ?? valueOf("-iname")?.toLowerCase();
  const matches = (pattern: string, name: string) =>
    globMatches(globOf(pattern), name, (units) => charge(call.process, units));
  const visit = (name: string, depth: number) => {
    const path = pathOf(call, name);
    const inside = filesOf(call).list(path);
    if (!inside && filesOf(call).read(path) === undefined) throw new Error(`'${name}': No such file or directory`);
    const last = name.split("/").at(-1) ?? "";
    const isNamed = glob === undefined || matches(glob, tests.includes("-iname") ? last.toLowerCase() : last);
    const isOf = valueOf("-type") === undefined || valueOf("-type") === (inside ? "d" : "f");
    if (isNamed && isOf && (valueOf("-path") === undefined || matches(valueOf("-path") ?? "", name)))
      out.write(`${name}\n`);
    if (depth < most) for (const entry of inside ?? []) visit(`${name === "/" ? "" : name}/${entry}`, depth + 1);
  };
  for (const name of starts.length > 0 ? starts : ["."]) visit(name, 0);
  return 0;
}
