// Programs that read and change files.
import { assumeFile } from "../assumptions.ts";
import { absolute, exists, isFolder } from "../files.ts";
import { charge } from "../../../../shared/shell/meter.ts";
import { edit } from "../process.ts";
import { type ProgramCall, type Programs } from "../program.ts";
import { options } from "../../../../shared/shell/options.ts";
import { printedLines } from "../../../../shared/shell/lines.ts";
import { whyNotWritable } from "../redirect.ts";
import { chmod, owned, statText } from "./modes.ts";
import { each } from "./per-file.ts";
import { find, xargs } from "./copying/find.ts";
import { dd } from "./copying/dd.ts";
import { list } from "./listing.ts";

export const filePrograms: Programs = {
  touch: (call) =>
    each(call, (path, name) => {
      const problem = whyNotWritable(call.shell, path);
      if (problem !== undefined && problem !== "Is a directory")
        return `${name}: ${problem === "nonexistent directory" ? "No such file or directory" : problem}`;
      if (problem === undefined && !call.process.files.has(path)) edit(call.process, { path, text: "" });
      return undefined;
    }),
  mkdir: (call) => {
    const { flags } = options(call.args, "m");
    return each(
      call,
      (path, name) => {
        if (flags.has("p")) {
          if (!exists(call.process.files, path)) edit(call.process, { path, text: undefined });
          return undefined;
        }
        if (exists(call.process.files, path)) return `can't create directory '${name}': File exists`;
        edit(call.process, { path, text: undefined });
        return undefined;
      },
      "m",
    );
  },
  rm: (call) => {
    const { flags } = options(call.args);
    return each(call, (path, name) => {
      if (!exists(call.process.files, path))
        return flags.has("f") ? undefined : `can't remove '${name}': No such file or directory`;
      if (isFolder(call.process.files, path) && !flags.has("r") && !flags.has("R")) return `'${name}' is a directory`;
      edit(call.process, { path, text: undefined, removed: true });
      return undefined;
    });
  },
  rmdir: (call) => each(call, (path) => void edit(call.process, { path, text: undefined, removed: true })),
  cp: (call) => copy(call, false),
  mv: (call) => copy(call, true),
  ln: (call) => copy({ ...call, args: call.args.filter((arg) => !arg.startsWith("-")) }, false),
  install: (call) => copy(call, false),
  chmod,
  chown: (call) => owned(call, (text) => text.split(/[:.]/, 2)),
  chgrp: (call) => owned(call, (text) => ["", text]),
  sync: () => 0,
  truncate: (call) => each(call, (path) => void edit(call.process, { path, text: "" }), "s"),
  dd,
  ls: list,
  find,
  xargs,
  stat: (call) => {
    const format = options(call.args, "c").values.get("c");
    return each(
      call,
      (path, name) => {
        if (!exists(call.process.files, path)) return `can't stat '${name}': No such file or directory`;
        call.out(statText(call, path, name, format));
        return undefined;
      },
      "c",
    );
  },
  readlink: (call) => {
    const { files } = call.process;
    const { flags, rest } = options(call.args);
    const targets = rest.map((name) => {
      const path = absolute(name, call.shell.folder);
      return flags.has("f") || flags.has("e") ? files.real(path) : files.link(path);
    });
    call.out(
      printedLines(
        call.process,
        targets.flatMap((target) => target ?? []),
      ),
    );
    return targets.includes(undefined) ? 1 : 0;
  },
  realpath: (call) => each(call, (path) => void call.out(`${call.process.files.real(path)}\n`)),
  mktemp: (call) => {
    const path = `/tmp/tmp.${call.process.seed++}`;
    edit(call.process, { path, text: call.args.includes("-d") ? undefined : "" });
    call.out(`${path}\n`);
    return 0;
  },
};

/** Returns the target as the user named it, with the file's own name if the target is a folder. */
function shownTarget(target: string, to: string): string {
  const name = to.slice(to.lastIndexOf("/") + 1);
  return target.endsWith("/") ? target + name : target.endsWith(name) ? target : `${target}/${name}`;
}

function copy(call: ProgramCall, moves: boolean): number {
  const { rest, flags } = options(call.args);
  const { files } = call.process;
  const target = absolute(rest.at(-1) ?? "", call.shell.folder);
  let code = 0;
  for (const name of rest.slice(0, -1)) {
    const from = absolute(name, call.shell.folder);
    const to = isFolder(files, target) ? absolute(from.slice(from.lastIndexOf("/") + 1), target) : target;
    charge(call.process, 1);
    const entry = files.get(from);
    const entries = [...(entry ? [[from, entry] as const] : []), ...files.below(from)];
    if (entries.length === 0) {
      // If the image is not known, it may have the file.
      if (!call.process.knowsFiles) {
        assumeFile(call.process, from);
        continue;
      }
      call.err(`${call.name}: can't stat '${name}': No such file or directory\n`);
      code = 1;
    }
    for (const [path, entry] of entries)
      edit(call.process, { path: to + path.slice(from.length), text: entry.text, mode: entry.mode });
    if (flags.has("v") && entries.length > 0) call.out(`'${name}' -> '${shownTarget(rest.at(-1) ?? "", to)}'\n`);
    if (moves && entries.length > 0) edit(call.process, { path: from, text: undefined, removed: true });
  }
  return code;
}
