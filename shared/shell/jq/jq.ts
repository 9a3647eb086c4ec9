// jq: filters values of JSON.
import type { Task } from "../task.ts";
import { limits } from "../../base/limits.ts";
import { build, charge, hold, type Metered } from "../meter.ts";
import type { TextCall } from "../text/call.ts";
import { values } from "./evaluate.ts";
import { type Filter, JqSyntaxError, parseJq } from "./parse.ts";
import type { Scope } from "./scope.ts";
import { isObject, isTrue, type Json, JqError, sortedKeys, weigh } from "./values.ts";

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
  let asked: JqArguments;
  try {
    asked = askedOf(call);
  } catch (error) {
    if (!(error instanceof JqInputError)) throw error;
    call.err(
      `jq: ${error.message}\nUse jq --help for help with command-line options,\nor see the jq manpage, or online docs  at https://jqlang.github.io/jq\n`,
    );
    return 2;
  }
  if (asked.flags.has("version")) {
    call.out("jq-1.7.1\n");
    return 0;
  }
  if (asked.filter === undefined) {
    call.err(
      "Usage:\tjq [OPTIONS] FILTER [FILES...]\n\tjq [OPTIONS] -f FILE [FILES...]\n\tjq [OPTIONS] --args FILTER [ARGUMENTS...]\n\tjq [OPTIONS] --jsonargs FILTER [JSON_VALUES...]\n\nFor a list of options, try `jq --help`.\n",
    );
    return 2;
  }
  const { filter } = asked;
  try {
    return yield* run(call, asked, parseJq(filter, call.process));
  } catch (error) {
    if (!(error instanceof JqSyntaxError)) throw error;
    call.err(`jq: error: ${error.message} at <top-level>, line 1:\n${filter}\njq: 1 compile error\n`);
    return 3;
  }
}

function askedOf({ args, files, process }: TextCall): JqArguments {
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
      named[name] = arg === "--arg" ? text : given(text);
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
    else if (arg.startsWith("--")) flags.add(known(arg, arg.slice(2)));
    else if (/^-[A-Za-z]+$/.test(arg)) for (const letter of arg.slice(1)) flags.add(known(arg, letters[letter]));
    else rest.push(arg);
  }
  if (filter === undefined) filter = rest.shift();
  variables.set("ARGS", { positional, named });
  return { flags, indent, filter: filter ?? (flags.size > 0 ? "." : undefined), files: rest, variables };
}

class JqInputError extends Error {}

const longs = new Set([...Object.values(letters), "version", "seq", "stream", "unbuffered"]);

function known(arg: string, flag: string | undefined): string {
  if (flag === undefined || !longs.has(flag)) throw new JqInputError(`Unknown option: ${arg}`);
  return flag;
}

function given(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw new JqInputError("Invalid JSON text passed to --argjson");
  }
}

/** Values one after the other, with anything blank between them. */
export function* documents(text: string): Generator<Json, void, undefined> {
  const whole = text.trim();
  if (whole === "") return;
  try {
    yield JSON.parse(whole) as Json;
    return;
  } catch {
    // Several, or none that can be read.
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

/** Where the value that begins there ends: at the bracket that closes it, or at a blank. */
function endOf(text: string, from: number): number {
  let depth = 0;
  const token = /"(?:[^"\\]|\\[^])*"|[{}[\]]|\s+|[^\s{}[\]"]+|"/g;
  token.lastIndex = from;
  for (let found; (found = token.exec(text)); ) {
    const [piece] = found;
    if (piece === "{" || piece === "[") depth++;
    else if (piece === "}" || piece === "]") depth--;
    if (depth <= 0 && piece.trim() !== "") return token.lastIndex;
  }
  return text.length;
}

/** What a value of JSON takes, for each letter of its text. */
const bytesPerLetter = 4;

/** Pays for reading a text as JSON, and for the values in it. */
function take(payer: Metered, text: string): void {
  hold(payer, text.length * bytesPerLetter);
  charge(payer, text.length / 24);
}

function* run(call: TextCall, asked: JqArguments, filter: Filter): Task<number> {
  const { process } = call;
  const { flags, files, variables } = asked;
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
    expressions: new Map(),
  };
  try {
    for (
      let value = flags.has("null-input") ? null : scope.inputs.next();
      value !== undefined;
      value = flags.has("null-input") ? undefined : scope.inputs.next()
    ) {
      const { depth } = process.meter;
      try {
        for (const one of values(scope, filter, value)) {
          last = one;
          weigh(process, one);
          call.out(shown(call, one, asked));
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

function shown(call: TextCall, value: Json, { flags, indent }: JqArguments): string {
  const isRaw = flags.has("raw-output") || flags.has("join-output");
  const end = flags.has("join-output") ? "" : "\n";
  if (isRaw && typeof value === "string") return value + end;
  const text = JSON.stringify(
    flags.has("sort-keys") ? sorted(call.process, value) : value,
    undefined,
    flags.has("compact-output") ? "" : indent,
  );
  build(call.process, Math.min(text.length, limits.containerHeldBytes));
  // An empty list or object has no line of its own.
  return text + end;
}

/** Microseconds of a member of an object that is put in order. */
const sortedMemberWork = 2;

function sorted(payer: Metered, value: Json): Json {
  if (Array.isArray(value)) return value.map((one) => sorted(payer, one));
  if (!isObject(value)) return value;
  const keys = sortedKeys(payer, value);
  charge(payer, sortedMemberWork * keys.length);
  return Object.fromEntries(keys.map((key) => [key, sorted(payer, value[key])]));
}
