// Reads the files of a program's arguments, or its input.
import type { Task } from "../task.ts";
import { options } from "../options.ts";
import { isBusybox, type TextCall } from "./call.ts";

/**
 * Calls `use` for each file of the arguments, or for the input. `withValue`: the letters of options with a value, which are not files, as
 * in `options`. The code is 1 if a file does not exist.
 */
export function* perFile(call: TextCall, use: (text: string, name: string) => void, withValue = ""): Task<number> {
  const { rest } = options(call.args, withValue);
  if (rest.length === 0) {
    const text = yield* call.input(true);
    if (text !== undefined) use(text, "-");
    return 0;
  }
  let code = 0;
  for (const name of rest) {
    const text = name === "-" ? yield* call.input() : call.files.read(name);
    if (text !== undefined) use(text, name);
    else if (name !== "-") code = missing(call, name);
  }
  return code;
}

/** GNU's messages of programs that do not just print their name and the file's. */
const ofGnu: Readonly<Record<string, string>> = {
  head: "cannot open '%' for reading",
  tail: "cannot open '%' for reading",
  sort: "cannot read: %",
  sed: "can't read %",
  tac: "failed to open '%' for reading",
};
const ofBusybox = new Set(["cat", "tail", "uniq", "tee", "rev"]);

/** Reports that a file cannot be read. Returns the exit code. */
export function missing(call: TextCall, file: string): number {
  const { name } = call;
  const isFolder = call.files.isFolder(file);
  const why = isFolder ? "Is a directory" : "No such file or directory";
  const template = isBusybox(call)
    ? ofBusybox.has(name) && !isFolder
      ? "can't open '%'"
      : "%"
    : isFolder
      ? "%"
      : (ofGnu[name] ?? "%");
  call.err(`${name}: ${template.replace("%", file)}: ${why}\n`);
  return name === "sort" || (name === "sed" && !isBusybox(call)) ? 2 : 1;
}
