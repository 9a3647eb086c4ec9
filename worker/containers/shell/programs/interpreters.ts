// The command lines of Python and Node.js: selects the program to run, and prints the errors if there is none.
import type { Task } from "../../../../shared/shell/task.ts";
import { assume, assumeFile } from "../assumptions.ts";
import { absolute } from "../files.ts";
import { isTyped, takeAll } from "../input.ts";
import { edit } from "../process.ts";
import { sleep } from "../system-call.ts";
import type { ProgramCall, Programs } from "../program.ts";
import { notSimulated } from "../not-simulated.ts";
import { javascript, type JavascriptProgram } from "../../wasm/javascript.ts";
import { knownNodePackages } from "../../wasm/javascript-library/library.ts";
import { knownPackages, packageFiles, packageFolder, packageNames } from "../../wasm/python-library/library.ts";
import { python, type PythonProgram } from "../../wasm/python.ts";

export const interpreterPrograms: Programs = {
  python: runPython,
  python3: runPython,
  node: runNode,
  nodejs: runNode,
  npm: runNpm,
  pip: installPackages,
  pip3: installPackages,
  ruby: notSimulated,
  php: notSimulated,
  java: notSimulated,
};

/** The last release of each minor version of Python when this table was written. */
const pythonReleases: Readonly<Record<string, string>> = {
  "3": "3.14.2",
  "3.8": "3.8.20",
  "3.9": "3.9.25",
  "3.10": "3.10.19",
  "3.11": "3.11.14",
  "3.12": "3.12.12",
  "3.13": "3.13.9",
  "3.14": "3.14.2",
};
const usualPython = "3.13.9";

/** Returns the version for the tag of a Python image: 3.12.12 for `python:3.12-slim`. */
function pythonVersionOf(image: string): string {
  const [, tag = ""] = /(?:^|\/)python:(\d+(?:\.\d+){0,2})/.exec(image) ?? [];
  return /^\d+\.\d+\.\d+$/.test(tag) ? tag : (pythonReleases[tag] ?? usualPython);
}

function* runPython(call: ProgramCall): Task<number> {
  const { args, process, shell, out, err, path } = call;
  let at = 0;
  let isUnbuffered = (shell.variables.get("PYTHONUNBUFFERED") ?? "") !== "";
  for (; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (arg === "--version" || arg === "-V") {
      out(`Python ${pythonVersionOf(process.self.image)}\n`);
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
    return yield* begin(call, { ...begun, ...module, code, argv: [kind, ...rest], file: "<string>" });
  }
  if (kind !== "" && kind !== "-") {
    const file = absolute(kind, shell.folder);
    const code = process.files.get(file)?.text;
    if (code === undefined) {
      const isFolder = process.files.isFolder(file);
      if (!isFolder && assumeFile(process, file)) return yield* notSimulated(call);
      const why = isFolder
        ? `can't find '__main__' module in '${file}'`
        : `can't open file '${file}': [Errno 2] No such file or directory`;
      err(`${path}: ${why}\n`);
      return isFolder ? 1 : 2;
    }
    const folder = file.slice(0, file.lastIndexOf("/")) || "/";
    return yield* begin(call, { ...begun, code, folder, argv: args.slice(at), file });
  }
  return yield* fromInput(call, { ...begun, argv: [kind], file: "<stdin>" });
}

/** Runs a typed session, or a program that is read completely from the input. */
function* fromInput(call: ProgramCall, program: PythonProgram): Task<number> {
  const { process, input } = call;
  if (!input) {
    if (process.interactive) yield* sleep(process, Number.POSITIVE_INFINITY);
    return 0;
  }
  if (isTyped(input) && input.isTerminal)
    return yield* begin(call, { ...program, isInteractive: true, isTerminal: true });
  const code = yield* takeAll(process, input);
  return code === undefined ? 0 : yield* begin(call, { ...program, code });
}

function* begin(call: ProgramCall, program: PythonProgram): Task<number> {
  const task = python(assumingLibraries(call), program);
  return task ? yield* task : yield* notSimulated(call);
}

/** Assumes that an image which is not known exactly has the libraries that the interpreter reports as missing. */
function assumingLibraries(call: ProgramCall): ProgramCall {
  const { process, err } = call;
  if (process.programs !== undefined || process.assumptions.policy !== "succeed") return call;
  return {
    ...call,
    err: (text) => {
      const [, library] = /(?:No module named|Cannot find (?:module|package)) '?([^'\s]+)/.exec(text) ?? [];
      if (library !== undefined) assume(process, library);
      err(text);
    },
  };
}

const nodeVersion = "v24.11.1\n";

function* runNode(call: ProgramCall): Task<number> {
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
  const packages = knownNodePackages.filter((name) => !isBare || hasPackage(call, kind, name.split("/")[0] ?? name));
  const begun = { prints: false, isInteractive: false, isTerminal: false, packages };
  const path = "/usr/local/bin/node";
  if (/^(-e|--eval|-p|--print|-pe)$/.test(kind)) {
    const prints = kind.startsWith("-p") || kind === "--print";
    return yield* evaluateJavascript(call, {
      ...begun,
      prints,
      code: args[at + 1] ?? "",
      file: "[eval]",
      argv: [path, ...args.slice(at + 2)],
    });
  }
  if (kind !== "" && kind !== "-") {
    const basePath = absolute(kind, shell.folder);
    const ends = ["", ".js", ".cjs", ".mjs", "/index.js"];
    const file = ends
      .map((end) => basePath + end)
      .find((candidate) => process.files.get(candidate)?.text !== undefined);
    if (file === undefined) {
      if (assumeFile(process, basePath)) return yield* notSimulated(call);
      err(missingModule(basePath));
      return 1;
    }
    const code = process.files.get(file)?.text ?? "";
    return yield* evaluateJavascript(call, { ...begun, code, file, argv: [path, file, ...args.slice(at + 1)] });
  }
  if (!input) {
    if (process.interactive) yield* sleep(process, Number.POSITIVE_INFINITY);
    return 0;
  }
  const inputProgram = { ...begun, code: "", file: "[eval]", argv: [path] };
  if (isTyped(input) && input.isTerminal) {
    return yield* evaluateJavascript(call, { ...inputProgram, isInteractive: true, isTerminal: true });
  }
  const code = yield* takeAll(process, input);
  return code === undefined ? 0 : yield* evaluateJavascript(call, { ...inputProgram, code });
}

function* evaluateJavascript(call: ProgramCall, program: JavascriptProgram): Task<number> {
  const task = javascript(assumingLibraries(call), program);
  return yield* task ?? notSimulated(call);
}

/** Reports whether a package is beside the program, in a folder above it, or where it is started. */
function hasPackage({ process, shell }: ProgramCall, program: string, name: string): boolean {
  const folders = [shell.folder, absolute(`${program}/..`, shell.folder)];
  for (const start of folders) {
    for (let folder = start; ; folder = absolute("..", folder)) {
      if (process.files.exists(absolute(`node_modules/${name}`, folder))) return true;
      if (folder === "/") break;
    }
  }
  return false;
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

/** Runs `pip install flask requests`. Known packages can be imported; the others are assumed to exist. */
function* installPackages({ args, out, err, process }: ProgramCall): Task<number> {
  const [command = "", ...rest] = args;
  if (command === "--version") {
    out("pip 25.2 from /usr/local/lib/python3.13/site-packages/pip (python 3.13)\n");
    return 0;
  }
  if (command !== "install") return 0;
  const listed = rest.flatMap((arg, at) => (rest[at - 1] === "-r" ? requirements(process, arg) : []));
  const names = [...rest.filter((arg, at) => !arg.startsWith("-") && rest[at - 1] !== "-r"), ...listed];
  if (names.length === 0) {
    err('ERROR: You must give at least one requirement to install (see "pip help install")\n');
    return 1;
  }
  const bare = names.map((name) => (/^[\w.-]+/.exec(name)?.[0] ?? name).toLowerCase());
  for (const [path, text, mode] of bare.flatMap(packageFiles)) edit(process, { path, text, mode });
  yield* sleep(process, 1000 * names.length);
  if (!process.paused) out(`Successfully installed ${bare.join(" ")}\n`);
  return 0;
}

function requirements({ files }: ProgramCall["process"], path: string): string[] {
  const text = files.get(absolute(path, "/"))?.text ?? "";
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"));
}

/** Runs npm: `npm start` runs the script in `package.json`; `npm install` adds the packages that it names. */
function* runNpm(call: ProgramCall): Task<number> {
  const { args, process, shell, out, err } = call;
  const [command = "", name = ""] = args;
  const path = absolute("package.json", shell.folder);
  const text = process.files.get(path)?.text;
  if (/^(i|install|ci|add)$/.test(command)) {
    const named = args.slice(1).filter((arg) => !arg.startsWith("-"));
    const all = named.length > 0 ? named : Object.keys(fieldOf(text, "dependencies"));
    for (const packageName of all)
      edit(process, { path: absolute(`node_modules/${packageName}/package.json`, shell.folder), text: "{}\n" });
    yield* sleep(process, 1000 * Math.max(1, all.length));
    if (!process.paused) out(`\nadded ${all.length} packages in ${Math.max(1, all.length)}s\n`);
    return 0;
  }
  if (command === "--version" || command === "-v") {
    out("11.6.2\n");
    return 0;
  }
  const script =
    command === "run" || command === "run-script" ? name : /^(start|test)$/.test(command) ? command : undefined;
  if (script === undefined) return 0;
  if (text === undefined) {
    if (assumeFile(process, path)) return yield* notSimulated(call);
    err(
      `npm error code ENOENT\nnpm error syscall open\nnpm error path ${path}\nnpm error errno -2\nnpm error enoent Could not read package.json: Error: ENOENT: no such file or directory, open '${path}'\n`,
    );
    return 254;
  }
  const scriptText = fieldOf(text, "scripts")[script] ?? (script === "start" ? "node server.js" : undefined);
  if (scriptText === undefined) {
    err(`npm error Missing script: "${script}"\n`);
    return 1;
  }
  const about = fieldOf(`{"a":${text}}`, "a");
  out(`\n> ${about["name"] ?? "app"}@${about["version"] ?? "1.0.0"} ${script}\n> ${scriptText}\n\n`);
  yield* shell.run(shell, ["sh", "-c", scriptText]);
  return shell.exitCode;
}

/** Returns the string fields of an object in a JSON file; an empty object if the text is not JSON. */
function fieldOf(text: string | undefined, name: string): Readonly<Record<string, string>> {
  try {
    const document: unknown = JSON.parse(text ?? "");
    const field: unknown =
      typeof document === "object" && document !== null ? (document as Record<string, unknown>)[name] : {};
    if (typeof field !== "object" || field === null) return {};
    return Object.fromEntries(
      Object.entries(field).flatMap(([key, value]) => (typeof value === "string" ? [[key, value]] : [])),
    );
  } catch {
    return {};
  }
}

/** Returns the packages that `pip` installed. An image other than Python's own is assumed to bring what it needs. */
function packagesOf({ process: { files, self } }: ProgramCall): readonly string[] {
  const isBare = /(^|\/)python(:|@|$)/.test(self.image);
  const isInstalled = (name: string) => files.exists(`${packageFolder}/${name}.dist-info`);
  return isBare ? knownPackages.filter((name) => packageNames(name).some(isInstalled)) : knownPackages;
}
