// Programs that read and change files.
import { absolute, exists, isFolder } from "../files.ts";
import { edit } from "../process.ts";
import { type Programs } from "../program.ts";
import { options } from "../../../../shared/shell/options.ts";
import { printedLines } from "../../../../shared/shell/lines.ts";
import { whyNotWritable } from "../redirect.ts";
import { chmod, owned, statText } from "./modes.ts";
import { each } from "./per-file.ts";
import { copy } from "./copying/copy.ts";
import { find, xargs } from "./copying/find.ts";
import { dd } from "./copying/dd.ts";
import { list } from "./listing.ts";
import { removeFolders } from "./remove-folders.ts";

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
  rmdir: removeFolders,
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
