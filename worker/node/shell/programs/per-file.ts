// What a program reads that is given files, or nothing.
import { absolute } from "../files.ts";
import { takeAll } from "../input.ts";
import { charge } from "../meter.ts";
import { advance, type Process } from "../process.ts";
import { type Call, options } from "../program.ts";

/** What the files named in the arguments hold, or the input; the code is 1 if one of them is not there. */
export function perFile(call: Call, use: (text: string, name: string) => void, withValue = ""): number {
  const { shell, process, input } = call;
  const { rest } = options(call.args, withValue);
  if (rest.length === 0) {
    if (input === undefined && process.interactive) advance(process, Number.POSITIVE_INFINITY);
    const text = takeAll(process, input);
    if (text !== undefined) use(text, "-");
    return 0;
  }
  let code = 0;
  for (const one of rest) {
    const path = absolute(one, shell.folder);
    const text = one === "-" ? takeAll(process, input) : process.files.get(path)?.text;
    if (text !== undefined) use(text, one);
    else if (path === "/dev/null") use("", one);
    else if (one !== "-") code = missing(call, one, process.files.isFolder(path));
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
export function missing({ process, name, err }: Call, file: string, isFolder: boolean): number {
  const why = isFolder ? "Is a directory" : "No such file or directory";
  const own = isBusybox(process)
    ? ofBusybox.has(name) && !isFolder
      ? "can't open '%'"
      : "%"
    : isFolder
      ? "%"
      : (ofGnu[name] ?? "%");
  err(`${name}: ${own.replace("%", file)}: ${why}\n`);
  return name === "sort" || (name === "sed" && !isBusybox(process)) ? 2 : 1;
}

/** Its small tools are busybox', or nobody knows. */
export function isBusybox({ programs }: Pick<Process, "programs">): boolean {
  return programs === undefined || programs.has("ash");
}

/** Does the same with each path; what it returns is a complaint. */
export function each(call: Call, change: (path: string, name: string) => string | undefined, withValue = ""): number {
  let code = 0;
  for (const name of options(call.args, withValue).rest) {
    charge(call.process, 1 + (name.length + call.shell.folder.length) / 16);
    const problem = change(absolute(name, call.shell.folder), name);
    if (problem === undefined) continue;
    call.err(`${call.name}: ${problem}\n`);
    code = 1;
  }
  return code;
}
