// The program jq, which filters JSON.
import { BoundedCache } from "../../base/bounded-cache.ts";
import type { Task } from "../task.ts";
import { limits } from "../../base/limits.ts";
import { chargeForBuilding, charge, hold, type Metered } from "../meter.ts";
import type { TextCall } from "../text/call.ts";
import { values } from "./evaluate.ts";
import { type Filter, JqSyntaxError, parseJq } from "./parse.ts";
import type { Scope } from "./scope.ts";
import { isObject, isTrue, type Json, JqError, sortedKeys, chargeDeeply } from "./values.ts";

interface JqArguments {
  readonly flags: ReadonlySet<string>;
  readonly indent: string;
  readonly filter: string | undefined;
  readonly files: readonly string[];
  readonly variables: Map<string, Json>;
}

const letters: Readonly<Record<string, string>> = {
  r: "raw-output",
  c: "compact-output",
  n: "null-input",
  e: "exit-status",
  s: "slurp",
  S: "sort-keys",
  R: "raw-input",
  j: "join-output",
  C: "color-output",
  M: "monochrome-output",
  a: "ascii-output",
  h: "help",
};

export function* jq(call: TextCall): Task<number> {
  let parsedArguments: JqArguments;
  try {
    parsedArguments = parseArguments(call);
  } catch (error) {
    if (!(error instanceof JqInputError)) throw error;
    call.err(
      `jq: ${error.message}\nUse jq --help for help with command-line options,\nor see the jq manpage, or online docs  at https://jqlang.github.io/jq\n`,
    );
    return 2;
  }
  if (parsedArguments.flags.has("version")) {
    call.out("jq-1.7.1\n");
    return 0;
  }
  if (parsedArguments.filter === undefined) {
    call.err(
      "Usage:\tjq [OPTIONS] FILTER [FILES...]\n\tjq [OPTIONS] -f FILE [FILES...]\n\tjq [OPTIONS] --args FILTER [ARGUMENTS...]\n\tjq [OPTIONS] --jsonargs FILTER [JSON_VALUES...]\n\nFor a list of options, try `jq --help`.\n",
    );
    return 2;
  }
  const { filter } = parsedArguments;
  try {
    return yield* run(call, parsedArguments, parseJq(filter, call.process));
  } catch (error) {
    if (!(error instanceof JqSyntaxError)) throw error;
    call.err(`jq: error: ${error.message} at <top-level>, line 1:\n${filter}\njq: 1 compile error\n`);
    return 3;
  }
}

function parseArguments({ args, files, process }: TextCall): JqArguments {
  const flags = new Set<string>();
  const rest: string[] = [];
  const variables = new Map<string, Json>();
  const named: Record<string, Json> = {};
  let positional: readonly string[] = [];
  let indent = "  ";
  let filter: string | undefined;
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    const next = () => args[++at] ?? "";
    if (arg === "--arg" || arg === "--argjson") {
      const name = next();
      const text = next();
      if (arg === "--argjson") take(process, text);
      named[name] = arg === "--arg" ? text : parseJsonArgument(text);
      variables.set(name, named[name]);
    } else if (arg === "--slurpfile" || arg === "--rawfile") {
      const name = next();
      const text = files.read(next()) ?? "";
      take(process, text);
      variables.set(name, arg === "--rawfile" ? text : [...documents(text)]);
    } else if (arg === "--indent") indent = " ".repeat(Math.min(Number(next()) || 0, 8));
    else if (arg === "--tab") indent = "\t";
    else if (arg === "-f" || arg === "--from-file") filter = files.read(next());
    else if (arg === "--args") positional = args.slice(at + 2);
    else if (arg.startsWith("--")) flags.add(checkedFlag(arg, arg.slice(2)));
    else if (/^-[A-Za-z]+$/.test(arg)) for (const letter of arg.slice(1)) flags.add(checkedFlag(arg, letters[letter]));
    else rest.push(arg);
  }
  if (filter === undefined) filter = rest.shift();
  variables.set("ARGS", { positional, named });
  return { flags, indent, filter: filter ?? (flags.size > 0 ? "." : undefined), files: rest, variables };
}

class JqInputError extends Error {}

const longs = new Set([...Object.values(letters), "version", "unbuffered"]);

function checkedFlag(arg: string, flag: string | undefined): string {
  if (flag === undefined || !longs.has(flag)) throw new JqInputError(`Unknown option: ${arg}`);
  return flag;
}

function parseJsonArgument(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw new JqInputError("Invalid JSON text passed to --argjson");
  }
}

/** Yields values that stand one after the other, separated by blanks. */
export function* documents(text: string): Generator<Json, void, undefined> {
  const trimmed = text.trim();
  if (trimmed === "") return;
  try {
    yield JSON.parse(trimmed) as Json;
    return;
  } catch {
    // The text has several values, or none that can be parsed.
  }
  for (let at = 0; at < text.length; ) {
    const end = endOf(text, at);
    const piece = text.slice(at, end);
    at = end;
    if (piece.trim() === "") continue;
    let value: Json;
    try {
      value = JSON.parse(piece) as Json;
    } catch {
      const line = text.slice(0, at).split("\n").length;
      throw new JqInputError(
        `parse error: Invalid numeric literal at line ${line}, column ${piece.trim().split("\n", 1)[0]?.length ?? 0}`,
      );
    }
    yield value;
  }
}

/** Returns the end of the value that begins at a position: its closing bracket, or a blank. */
function endOf(text: string, from: number): number {
  let depth = 0;
  const token = /"(?:[^"\\]|\\[^])*"|[{}[\]]|\s+|[^\s{}[\]"]+|"/g;
  token.lastIndex = from;
  for (let match; (match = token.exec(text)); ) {
    const [piece] = match;
    if (piece === "{" || piece === "[") depth++;
    else if (piece === "}" || piece === "]") depth--;
    if (depth <= 0 && piece.trim() !== "") return token.lastIndex;
  }
  return text.length;
}

/** The limit of compiled regular expressions of one program. */
const maxExpressions = 40;

/** Bytes of JSON in memory for each character of its text. */
const bytesPerLetter = 4;

/** Charges for parsing a text as JSON, and holds the memory of its values. */
function take(payer: Metered, text: string): void {
  hold(payer, text.length * bytesPerLetter);
  charge(payer, text.length / 24);
}

function* run(call: TextCall, parsedArguments: JqArguments, filter: Filter): Task<number> {
  const { process } = call;
  const { flags, files, variables } = parsedArguments;
  let code = 0;
  const texts: string[] = [];
  for (const name of files) {
    const text = call.files.read(name);
    if (text !== undefined) texts.push(text);
    else {
      call.err(`jq: error: Could not open ${name}: No such file or directory\n`);
      code = 2;
    }
  }
  const text =
    files.length > 0 ? texts.join("\n") : flags.has("null-input") && !call.hasInput ? "" : yield* call.input();
  if (text === undefined) return 0;
  take(process, text);
  const source = inputsOf(text, flags);
  let lastLine: number | undefined;
  let last: Json;
  const scope: Scope = {
    call,
    variables,
    functions: new Map(),
    inputs: { next: () => source.next().value },
    owned: new WeakSet(),
    expressions: new BoundedCache(maxExpressions),
  };
  try {
    for (
      let value = flags.has("null-input") ? null : scope.inputs.next();
      value !== undefined;
      value = flags.has("null-input") ? undefined : scope.inputs.next()
    ) {
      const { depth } = process.meter;
      try {
        for (const result of values(scope, filter, value)) {
          last = result;
          chargeDeeply(process, result);
          call.out(printedResult(call, result, parsedArguments));
        }
      } catch (error) {
        if (!(error instanceof JqError)) throw error;
        process.meter.depth = depth;
        lastLine ??= Math.max(0, text.split("\n").length - 1);
        call.err(`jq: error (at ${files.length > 0 ? files[0] : "<stdin>"}:${lastLine}): ${error.message}\n`);
        code = 5;
      }
    }
  } catch (error) {
    if (!(error instanceof JqInputError)) throw error;
    call.err(`jq: ${error.message}\n`);
    return 2;
  }
  if (code !== 0 || !flags.has("exit-status")) return code;
  return last === undefined ? 4 : isTrue(last) ? 0 : 1;
}

function* inputsOf(text: string, flags: ReadonlySet<string>): Generator<Json, void, undefined> {
  const isRaw = flags.has("raw-input");
  if (flags.has("slurp")) yield isRaw ? text : [...documents(text)];
  else if (isRaw) yield* text.replace(/\n$/, "").split("\n");
  else yield* documents(text);
}

function printedResult(call: TextCall, value: Json, { flags, indent }: JqArguments): string {
  const isRaw = flags.has("raw-output") || flags.has("join-output");
  const end = flags.has("join-output") ? "" : "\n";
  if (isRaw && typeof value === "string") return value + end;
  const text = JSON.stringify(
    flags.has("sort-keys") ? sorted(call.process, value) : value,
    undefined,
    flags.has("compact-output") ? "" : indent,
  );
  chargeForBuilding(call.process, Math.min(text.length, limits.containerHeldBytes));
  // An empty list or object is printed on one line.
  return text + end;
}

/** Microseconds of sorting one member of an object. */
const sortedMemberWork = 2;

function sorted(payer: Metered, value: Json): Json {
  if (Array.isArray(value)) return value.map((item) => sorted(payer, item));
  if (!isObject(value)) return value;
  const keys = sortedKeys(payer, value);
  charge(payer, sortedMemberWork * keys.length);
  return Object.fromEntries(keys.map((key) => [key, sorted(payer, value[key])]));
}
