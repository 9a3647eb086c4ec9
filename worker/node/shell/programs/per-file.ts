// What a program reads that is given files, or nothing.
import { absolute } from "../files.ts";
import { takeAll } from "../input.ts";
import { charge } from "../meter.ts";
import { advance } from "../process.ts";
import { type Call, options } from "../program.ts";

/** What the files named in the arguments hold, or the input; the code is 1 if one of them is not there. */
export function perFile(call: Call, use: (text: string) => void, withValue = ""): number {
  const { shell, process, input, err, name } = call;
  const { rest } = options(call.args, withValue);
  if (rest.length === 0) {
    if (input === undefined && process.interactive) advance(process, Number.POSITIVE_INFINITY);
    const text = takeAll(process, input);
    if (text !== undefined) use(text);
    return 0;
  }
  let code = 0;
  for (const one of rest) {
    const path = absolute(one, shell.folder);
    const text = one === "-" ? takeAll(process, input) : process.files.get(path)?.text;
    if (text !== undefined) use(text);
    else if (path === "/dev/null") use("");
    else {
      err(`${name}: ${name === "cat" ? "can't open " : ""}'${one}': No such file or directory\n`.replace("''", "'"));
      code = 1;
    }
  }
  return code;
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
