// The command lines of Python and Node: which program is meant, and what is said where there is none.
import { absolute } from "../files.ts";
import { isTyped, takeAll } from "../input.ts";
import { advance } from "../process.ts";
import type { Call, Programs } from "../program.ts";
import { javascript } from "../../wasm/javascript.ts";
import { knownNodePackages } from "../../wasm/javascript-library/library.ts";
import { knownPackages, packageFolder } from "../../wasm/python-library/library.ts";
import { python, type PythonProgram } from "../../wasm/python.ts";

export const interpreterPrograms: Programs = {
  python: runPython,
  python3: runPython,
  node: runNode,
  nodejs: runNode,
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
      const why = isFolder
        ? `can't find '__main__' module in '${file}'`
        : `can't open file '${file}': [Errno 2] No such file or directory`;
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

const nodeVersion = "v24.11.1\n";

function runNode(call: Call): number {
  const { args, process, shell, out, err, input } = call;
  let at = 0;
  while (
    /^--?(no-warnings|max-old-space-size|enable-source-maps|inspect|trace|experimental|unhandled|dns|r|require|env-file|watch)/.test(
      args[at] ?? "",
    )
  ) {
    at += args[at] === "-r" || args[at] === "--require" ? 2 : 1;
  }
  const kind = args[at] ?? "";
  if (kind === "--version" || kind === "-v") {
    out(nodeVersion);
    return 0;
  }
  const isBare = /(^|\/)node(:|@|$)/.test(process.self.image);
  const packages = knownNodePackages.filter(
    (name) => !isBare || process.files.exists(`${shell.folder}/node_modules/${name}`),
  );
  const begun = { prints: false, isInteractive: false, isTerminal: false, packages };
  const path = "/usr/local/bin/node";
  if (/^(-e|--eval|-p|--print|-pe)$/.test(kind)) {
    const prints = kind.startsWith("-p") || kind === "--print";
    return (
      javascript(call, {
        ...begun,
        prints,
        code: args[at + 1] ?? "",
        file: "[eval]",
        argv: [path, ...args.slice(at + 2)],
      }) ?? notSimulated(call)
    );
  }
  if (kind !== "" && kind !== "-") {
    const asked = absolute(kind, shell.folder);
    const ends = ["", ".js", ".cjs", ".mjs", "/index.js"];
    const file = ends.map((end) => asked + end).find((one) => process.files.get(one)?.text !== undefined);
    if (file === undefined) {
      err(missingModule(asked));
      return 1;
    }
    const code = process.files.get(file)?.text ?? "";
    return javascript(call, { ...begun, code, file, argv: [path, file, ...args.slice(at + 1)] }) ?? notSimulated(call);
  }
  if (!input) {
    if (process.interactive) advance(process, Number.POSITIVE_INFINITY);
    return 0;
  }
  const own = { ...begun, code: "", file: "[eval]", argv: [path] };
  if (isTyped(input) && input.isTerminal) {
    return javascript(call, { ...own, isInteractive: true, isTerminal: true }) ?? notSimulated(call);
  }
  const code = takeAll(process, input);
  return code === undefined ? 0 : (javascript(call, { ...own, code }) ?? notSimulated(call));
}

function missingModule(path: string): string {
  return `node:internal/modules/cjs/loader:1386
  throw err;
  ^

Error: Cannot find module '${path}'
    at Function._resolveFilename (node:internal/modules/cjs/loader:1383:15)
    at defaultResolveImpl (node:internal/modules/cjs/loader:1025:19)
    at resolveForCJSWithHooks (node:internal/modules/cjs/loader:1030:22)
    at Function._load (node:internal/modules/cjs/loader:1192:37)
    at TracingChannel.traceSync (node:diagnostics_channel:328:14)
    at wrapModuleLoad (node:internal/modules/cjs/loader:237:24)
    at Function.executeUserEntryPoint [as runMain] (node:internal/modules/run_main:171:5)
    at node:internal/main/run_main_module:36:49 {
  code: 'MODULE_NOT_FOUND',
  requireStack: []
}

Node.js ${nodeVersion}`;
}

/** Those that `pip` installed here; an image that is not Python's own brings what it needs. */
function packagesOf({ process: { files, self } }: Call): readonly string[] {
  const isBare = /(^|\/)python(:|@|$)/.test(self.image);
  return isBare ? knownPackages.filter((name) => files.exists(`${packageFolder}/${name}.dist-info`)) : knownPackages;
}
