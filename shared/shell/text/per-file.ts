// What a program reads that is given files, or nothing.
import type { Task } from "../task.ts";
import { options } from "../options.ts";
import { isBusybox, type TextCall } from "./call.ts";

/** What the files named in the arguments hold, or the input; the code is 1 if one of them is not there. */
export function* perFile(call: TextCall, use: (text: string, name: string) => void, withValue = ""): Task<number> {
  const { rest } = options(call.args, withValue);
  if (rest.length === 0) {
    const text = yield* call.input(true);
    if (text !== undefined) use(text, "-");
    return 0;
  }
  let code = 0;
  for (const one of rest) {
    const text = one === "-" ? yield* call.input() : call.files.read(one);
    if (text !== undefined) use(text, one);
    else if (one !== "-") code = missing(call, one);
  }
  return code;
}

/** GNU's own words, where a program has others than its name and the file's. */
const ofGnu: Readonly<Record<string, string>> = {
  head: "cannot open '%' for reading",
  tail: "cannot open '%' for reading",
  sort: "cannot read: %",
  sed: "can't read %",
  tac: "failed to open '%' for reading",
};
const ofBusybox = new Set(["cat", "tail", "uniq", "tee", "rev"]);

/** Says that a file cannot be read; returns the exit code. */
export function missing(call: TextCall, file: string): number {
  const { name } = call;
  const isFolder = call.files.isFolder(file);
  const why = isFolder ? "Is a directory" : "No such file or directory";
  const own = isBusybox(call)
    ? ofBusybox.has(name) && !isFolder
      ? "can't open '%'"
      : "%"
    : isFolder
      ? "%"
      : (ofGnu[name] ?? "%");
  call.err(`${name}: ${own.replace("%", file)}: ${why}\n`);
  return name === "sort" || (name === "sed" && !isBusybox(call)) ? 2 : 1;
}
