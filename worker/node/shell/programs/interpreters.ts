// The command lines of Python and Node: which program is meant, and what is said where there is none.
import { absolute } from "../files.ts";
import { isTyped, takeAll } from "../input.ts";
import { advance } from "../process.ts";
import type { Call, Programs } from "../program.ts";
import { knownPackages, packageFolder } from "../../wasm/python-library/library.ts";
import { python, type PythonProgram } from "../../wasm/python.ts";

export const interpreterPrograms: Programs = {
  python: runPython,
  python3: runPython,
  ruby: (call) => notSimulated(call),
};

const notFound = 127;

/** Says in a line that a program is not simulated. */
export function notSimulated({ err, name }: Call, what = name): number {
  err(`${name}: ${what} is not simulated in this sandbox\n`);
  return notFound;
}

const pythonVersion = "Python 3.13.9\n";

function runPython(call: Call): number {
  const { args, process, shell, out, err, path } = call;
  let at = 0;
  let isUnbuffered = (shell.variables.get("PYTHONUNBUFFERED") ?? "") !== "";
  for (; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (arg === "--version" || arg === "-V") {
      out(pythonVersion);
      return 0;
    }
    if (!/^-[uBEIOsSqbdvxi]+$|^-[WX]/.test(arg)) break;
    isUnbuffered ||= /^-[A-Za-z]*u/.test(arg);
    if (arg === "-W" || arg === "-X") at++;
  }
  const kind = args[at] ?? "";
  const packages = packagesOf(call);
  const begun = { isUnbuffered, packages, isInteractive: false, isTerminal: false, folder: "", code: "" };
  if (kind === "-c" || kind === "-m") {
    const text = args[at + 1];
    if (text === undefined) {
      err(`Argument expected for the ${kind} option\n`);
      return 2;
    }
    const rest = args.slice(at + 2);
    const module = kind === "-m" ? { module: text } : {};
    const code = kind === "-c" ? text : "";
    return begin(call, { ...begun, ...module, code, argv: [kind, ...rest], file: "<string>" });
  }
  if (kind !== "" && kind !== "-") {
    const file = absolute(kind, shell.folder);
    const code = process.files.get(file)?.text;
    if (code === undefined) {
      const isFolder = process.files.isFolder(file);
      const why = isFolder ? `can't find '__main__' module in '${file}'` : `can't open file '${file}': [Errno 2] No such file or directory`;
      err(`${path}: ${why}\n`);
      return isFolder ? 1 : 2;
    }
    const folder = file.slice(0, file.lastIndexOf("/")) || "/";
    return begin(call, { ...begun, code, folder, argv: args.slice(at), file });
  }
  return fromInput(call, { ...begun, argv: [kind], file: "<stdin>" });
}

/** What is typed, or a program that is read whole. */
function fromInput(call: Call, program: PythonProgram): number {
  const { process, input } = call;
  if (!input) {
    if (process.interactive) advance(process, Number.POSITIVE_INFINITY);
    return 0;
  }
  if (isTyped(input) && input.isTerminal) return begin(call, { ...program, isInteractive: true, isTerminal: true });
  const code = takeAll(process, input);
  return code === undefined ? 0 : begin(call, { ...program, code });
}

function begin(call: Call, program: PythonProgram): number {
  return python(call, program) ?? notSimulated(call);
}

/** Those that `pip` installed here; an image that is not Python's own brings what it needs. */
function packagesOf({ process: { files, self } }: Call): readonly string[] {
  const isBare = /(^|\/)python(:|@|$)/.test(self.image);
  return isBare ? knownPackages.filter((name) => files.exists(`${packageFolder}/${name}.dist-info`)) : knownPackages;
}
