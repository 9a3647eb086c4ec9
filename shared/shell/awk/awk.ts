// awk: runs its rules over the lines of files.
import type { Task } from "../task.ts";
import { unescaped } from "../escapes.ts";
import { charge, leaveLevel, enterLevel, hold } from "../meter.ts";
import { formatted } from "../printf.ts";
import { builtin } from "./functions.ts";
import type { TextCall } from "../text/call.ts";
import { eachPiece, type PieceReader } from "../text/stream.ts";
import { parseAwk } from "./parse.ts";
import {
  type AwkCall,
  fieldsOf,
  isNumeric,
  keep,
  listOf,
  numberOf,
  numberText,
  patternOf,
  readLine,
  readsAhead,
  rebuild,
  recordsOf,
  resize,
  type Run,
  runCommand,
  setLine,
  textOf,
  type Value,
} from "./run.ts";
import { AwkError, type AwkProgram, type Node, type Statement } from "./syntax.ts";

/** The parsed arguments. */
interface AwkArguments {
  readonly program: AwkProgram;
  readonly presetVariables: readonly (readonly [name: string, value: string])[];
  /** Files, and assignments between them. */
  readonly operands: readonly string[];
}

export function* awk(call: AwkCall): Task<number> {
  try {
    const awkArguments = parseArguments(call);
    if (!awkArguments) return 2;
    const run = begun(call, awkArguments);
    const code = readsInput(run) ? yield* readFiles(run, awkArguments.operands) : 0;
    return ended(run) || code;
  } catch (error) {
    if (!(error instanceof AwkError)) throw error;
    return reportError(call, error);
  }
}

function reportError(call: AwkCall, { message }: AwkError): number {
  call.err(call.tools === "busybox" ? `awk: cmd. line:1: ${message}\n` : `awk: line 1: ${message}\n`);
  return call.tools === "busybox" ? 1 : 2;
}

/** Parses the arguments. Returns undefined if there is no program, after printing the error. Throws an `AwkError`. */
function parseArguments(call: AwkCall): AwkArguments | undefined {
  const { args } = call;
  const presetVariables: [string, string][] = [];
  let text: string | undefined;
  let at = 0;
  for (; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (!/^-./.test(arg)) break;
    const value = () => (arg.length > 2 ? arg.slice(2) : (args[++at] ?? ""));
    if (arg === "--") {
      at++;
      break;
    } else if (arg.startsWith("-F")) presetVariables.push(["FS", separatorOf(value())]);
    else if (arg.startsWith("-v")) {
      const [name = "", ...rest] = value().split("=");
      presetVariables.push([name, unescaped(rest.join("="))]);
    } else if (arg.startsWith("-f")) text = call.files.read(value()) ?? "";
  }
  const source = text ?? args[at++];
  if (source !== undefined)
    return { program: parseAwk(source, call.process), presetVariables, operands: args.slice(at) };
  call.err("usage: awk [-F fs][-v var=value][prog | -f progfile][file ...]\n");
  return undefined;
}

function separatorOf(text: string): string {
  return text === "t" ? "\t" : unescaped(text);
}

/** Starts a run, and runs its `BEGIN` rules. */
function begun(call: AwkCall, { program, presetVariables, operands }: AwkArguments): Run {
  const run: Run = {
    call,
    program,
    globals: new Map<string, Value>([
      ["FS", " "],
      ["OFS", " "],
      ["ORS", "\n"],
      ["RS", "\n"],
      ["SUBSEP", "\x1c"],
      ["NR", 0],
      ["NF", 0],
      ["FNR", 0],
      ["FILENAME", ""],
      ["CONVFMT", "%.6g"],
      ["OFMT", "%.6g"],
      ["RSTART", 0],
      ["RLENGTH", -1],
      ["ARGC", operands.length + 1],
    ]),
    lists: new Map([["ENVIRON", new Map<string, Value>(call.environment())]]),
    patterns: new Map(),
    locals: undefined,
    fields: [],
    line: "",
    isSplit: true,
    flow: undefined,
    result: "",
    exitCode: 0,
    lines: [],
    at: 0,
    ranges: [],
    opened: new Set(),
    seed: 0,
    value: (node) => value(run, node),
    set: (target, newValue) => set(run, target, newValue),
  };
  for (const [name, text] of presetVariables) run.globals.set(name, { outside: text });
  phase(run, "BEGIN");
  return run;
}

/** Runs the `END` rules. Returns the exit code that the program sets. */
function ended(run: Run): number {
  run.flow = undefined;
  phase(run, "END");
  return run.exitCode;
}

function phase(run: Run, when: "BEGIN" | "END"): void {
  for (const rule of run.program.rules)
    if (rule.when === when && rule.body && run.flow?.how !== "exit") perform(run, rule.body);
}

/** Reports whether the program has rules for lines or their end, and has not exited yet. */
function readsInput(run: Run): boolean {
  return run.program.rules.some(({ when }) => when !== "BEGIN") && run.flow?.how !== "exit";
}

/** Applies an assignment `name=value` among the files. Returns false if the operand is none. */
function assigns({ globals }: Run, operand: string): boolean {
  const [, name, value = ""] = /^([A-Za-z_]\w*)=(.*)$/s.exec(operand) ?? [];
  if (name !== undefined) globals.set(name, { outside: unescaped(value) });
  return name !== undefined;
}

/** Reads the files in order, and applies the assignments between them. */
function* readFiles(run: Run, operands: readonly string[]): Task<number> {
  const { call } = run;
  let code = 0;
  let isAny = false;
  for (const operand of [...operands, undefined]) {
    if (operand === undefined ? isAny : assigns(run, operand)) continue;
    isAny = true;
    code = (yield* eachPiece(call, [operand ?? "-"], recordReader(run), refuse)) || code;
    if (call.process.paused || run.flow?.how === "exit") break;
  }
  return code;
}

function refuse(call: TextCall, name: string): number {
  const isBusybox = call.tools === "busybox";
  call.err(
    isBusybox ? `awk: ${name}: No such file or directory\n` : `awk: cannot open ${name} (No such file or directory)\n`,
  );
  return isBusybox ? 1 : 2;
}

/** Runs the rules over lines as they arrive, or over a complete file if the program reads ahead. */
function recordReader(run: Run): PieceReader {
  const { process } = run.call;
  let rest = "";
  const runText = (text: string) => {
    if (text === "") return true;
    charge(process, text.length / 256);
    hold(process, text.length);
    const goesOn = runRecords(run, recordsOf(run, text));
    hold(process, -text.length);
    return goesOn;
  };
  return {
    begin: (name) => beginFile(run, name),
    piece: (piece) => {
      const text = rest + piece;
      const end = readsAhead(run) ? 0 : text.lastIndexOf("\n") + 1;
      rest = text.slice(end);
      return runText(text.slice(0, end));
    },
    end: () => {
      if (run.flow?.how !== "exit") runText(rest);
    },
  };
}

function beginFile({ globals }: Run, name: string): void {
  globals.set("FILENAME", name === "-" ? "" : name);
  globals.set("FNR", 0);
}

/** Runs the rules over records. Returns false if the program has ended. */
function runRecords(run: Run, records: readonly string[]): boolean {
  run.lines.length = 0;
  run.at = 0;
  for (const record of records) run.lines.push(record);
  while (run.at < run.lines.length && run.flow?.how !== "exit") {
    run.flow = undefined;
    readLine(run);
    rules(run);
  }
  return run.flow?.how !== "exit";
}

function rules(run: Run): void {
  for (const [at, { when, body }] of run.program.rules.entries()) {
    if (run.flow || typeof when === "string") continue;
    const [first, last] = when;
    if (last) {
      if (!run.ranges[at] && !(first && holds(value(run, first)))) continue;
      run.ranges[at] = !holds(value(run, last));
    } else if (first && !holds(value(run, first))) continue;
    if (body) perform(run, body);
    else run.call.out(run.line + textOf(run.globals.get("ORS") ?? "\n"));
  }
}

function perform(run: Run, statement: Statement): void {
  enterLevel(run.call.process);
  charge(run.call.process, 0.3);
  does(run, statement);
  leaveLevel(run.call.process);
}

function does(run: Run, statement: Statement): void {
  switch (statement.kind) {
    case "block":
      for (const inner of statement.list) {
        if (run.flow) return;
        perform(run, inner);
      }
      return;
    case "print":
      return print(run, statement);
    case "do":
      value(run, statement.value);
      return;
    case "if":
      if (holds(value(run, statement.condition))) perform(run, statement.yes);
      else if (statement.no) perform(run, statement.no);
      return;
    case "while":
      for (
        let isFirst = statement.isLate;
        isFirst || !statement.condition || holds(value(run, statement.condition));
        isFirst = false
      ) {
        perform(run, statement.body);
        if (leavesLoop(run)) return;
        if (statement.step) perform(run, statement.step);
      }
      return;
    case "each":
      for (const key of [...listOf(run, statement.list).keys()]) {
        set(run, { kind: "name", name: statement.name }, { outside: key });
        perform(run, statement.body);
        if (leavesLoop(run)) return;
      }
      return;
    case "delete":
      if (statement.keys) listOf(run, statement.name).delete(keyOf(run, statement.keys));
      else listOf(run, statement.name).clear();
      return;
    case "leave":
      if (statement.value) {
        run.result = value(run, statement.value);
        if (statement.how === "exit") run.exitCode = numberOf(run.result) & 255;
      } else if (statement.how === "return") run.result = "";
      run.flow = { how: statement.how };
  }
}

/** Reports whether a loop ends. Consumes `break` and `continue`. */
function leavesLoop(run: Run): boolean {
  const how = run.flow?.how;
  if (how === "break" || how === "continue") run.flow = undefined;
  return how !== undefined && how !== "continue";
}

function print(run: Run, { args, isForm, to }: Statement & { kind: "print" }): void {
  const { call, globals } = run;
  const texts = args.map((arg) => {
    const result = value(run, arg);
    return typeof result === "number" && !isForm
      ? numberText(result, textOf(globals.get("OFMT") ?? ""))
      : textOf(result);
  });
  const text = isForm
    ? formatted({ ...call, isAwk: true }, texts[0] ?? "", texts.slice(1))
    : (args.length === 0 ? run.line : texts.join(textOf(globals.get("OFS") ?? " "))) +
      textOf(globals.get("ORS") ?? "\n");
  if (!to) return call.out(text);
  const name = textOf(value(run, to[1]));
  if (to[0] === "|") {
    return runCommand(run, name, text);
  }
  if (name === "/dev/stderr" || name === "/dev/stdout") return (name === "/dev/stderr" ? call.err : call.out)(text);
  call.files.write(name, text, to[0] === ">>" || run.opened.has(name));
  run.opened.add(name);
}

function holds(operand: Value): boolean {
  if (typeof operand === "number") return operand !== 0;
  if (typeof operand === "string") return operand !== "";
  return isNumeric(operand.outside) ? Number(operand.outside) !== 0 : operand.outside !== "";
}

function keyOf(run: Run, keys: readonly Node[]): string {
  return keys.map((keyNode) => textOf(value(run, keyNode))).join(textOf(run.globals.get("SUBSEP") ?? "\x1c"));
}

function value(run: Run, node: Node): Value {
  charge(run.call.process, 0.2);
  switch (node.kind) {
    case "number":
      return node.value;
    case "text":
      return unescaped(node.value);
    case "pattern":
      return patternOf(run, node.source).test(run.line, (units) => charge(run.call.process, units)) ? 1 : 0;
    case "field": {
      const at = numberOf(value(run, node.index));
      return { outside: at === 0 ? run.line : (fieldsOf(run)[at - 1] ?? "") };
    }
    case "name": {
      if (node.name === "NF") fieldsOf(run);
      const local = run.locals?.get(node.name);
      if (local !== undefined) return local instanceof Map ? "" : local;
      return run.globals.get(node.name) ?? { outside: "" };
    }
    case "element": {
      const list = listOf(run, node.name);
      const key = keyOf(run, node.keys);
      const element = list.get(key);
      if (element !== undefined) return element;
      keep(run, list, key, { outside: "" });
      return { outside: "" };
    }
    case "in":
      return listOf(run, node.name).has(keyOf(run, node.keys)) ? 1 : 0;
    case "choice":
      return value(run, holds(value(run, node.condition)) ? node.yes : node.no);
    case "unary": {
      const of = value(run, node.of);
      return node.operator === "!" ? (holds(of) ? 0 : 1) : node.operator === "-" ? -numberOf(of) : numberOf(of);
    }
    case "step": {
      const before = numberOf(value(run, node.target));
      set(run, node.target, before + node.by);
      return node.isFirst ? before + node.by : before;
    }
    case "assign": {
      const right = value(run, node.value);
      const result =
        node.operator === "" ? right : computed(node.operator, numberOf(value(run, node.target)), numberOf(right));
      set(run, node.target, result);
      return result;
    }
    case "binary":
      return combined(run, node);
    case "call":
      return called(run, node);
    case "getline":
      return getline(run, node);
  }
}

function combined(run: Run, { operator, left, right }: Node & { kind: "binary" }): Value {
  if (operator === "&&") return holds(value(run, left)) && holds(value(run, right)) ? 1 : 0;
  if (operator === "||") return holds(value(run, left)) || holds(value(run, right)) ? 1 : 0;
  const first = value(run, left);
  if (operator === "~" || operator === "!~") {
    const source = right.kind === "pattern" ? right.source : textOf(value(run, right));
    const isMatch = patternOf(run, source).test(textOf(first), (units) => charge(run.call.process, units));
    return isMatch === (operator === "~") ? 1 : 0;
  }
  const second = value(run, right);
  if (operator === " ") {
    const text = textOf(first) + textOf(second);
    charge(run.call.process, text.length / 1024);
    return text;
  }
  if (/^(<|<=|==|!=|>|>=)$/.test(operator)) return compared(operator, first, second) ? 1 : 0;
  return computed(operator, numberOf(first), numberOf(second));
}

function compared(operator: string, a: Value, b: Value): boolean {
  const isNumber = (operand: Value) =>
    typeof operand === "number" ||
    (typeof operand === "object" && (isNumeric(operand.outside) || operand.outside === ""));
  const isOne =
    isNumber(a) &&
    isNumber(b) &&
    !(typeof a === "object" && typeof b === "object" && (a.outside === "" || b.outside === ""));
  const [left, right] = isOne ? [numberOf(a), numberOf(b)] : [textOf(a), textOf(b)];
  switch (operator) {
    case "<":
      return left < right;
    case "<=":
      return left <= right;
    case "==":
      return left === right;
    case "!=":
      return left !== right;
    case ">":
      return left > right;
    default:
      return left >= right;
  }
}

function computed(operator: string, a: number, b: number): number {
  switch (operator) {
    case "+":
      return a + b;
    case "-":
      return a - b;
    case "*":
      return a * b;
    case "/":
      if (b === 0) throw new AwkError("division by zero");
      return a / b;
    case "%":
      if (b === 0) throw new AwkError("division by zero in %");
      return a % b;
    default:
      return a ** b;
  }
}

function set(run: Run, target: Node, newValue: Value): void {
  if (target.kind === "element") return keep(run, listOf(run, target.name), keyOf(run, target.keys), newValue);
  if (target.kind === "name") {
    if (run.locals?.has(target.name)) run.locals.set(target.name, newValue);
    else keep(run, run.globals, target.name, newValue);
    if (target.name === "NF") resize(run, numberOf(newValue));
    return;
  }
  if (target.kind !== "field") return;
  const at = numberOf(value(run, target.index));
  if (at === 0) return setLine(run, textOf(newValue));
  const fields = fieldsOf(run);
  if (at > fields.length) resize(run, at);
  run.fields[at - 1] = textOf(newValue);
  rebuild(run);
}

function getline(run: Run, { target, file }: Node & { kind: "getline" }): Value {
  if (file) return -1;
  if (run.at >= run.lines.length) return 0;
  const line = run.line;
  readLine(run);
  if (target) {
    const read = run.line;
    setLine(run, line);
    set(run, target, { outside: read });
  }
  return 1;
}

function called(run: Run, { name, args }: Node & { kind: "call" }): Value {
  const declared = run.program.functions.get(name);
  if (declared) {
    const locals = new Map<string, Value | Map<string, Value>>();
    for (const [at, parameter] of declared.parameters.entries()) {
      const arg = args[at];
      const isList = arg?.kind === "name" && (run.lists.has(arg.name) || run.locals?.get(arg.name) instanceof Map);
      locals.set(parameter, arg === undefined ? { outside: "" } : isList ? listOf(run, arg.name) : value(run, arg));
    }
    const outer = run.locals;
    run.locals = locals;
    run.result = "";
    perform(run, declared.body);
    run.locals = outer;
    if (run.flow?.how === "return") run.flow = undefined;
    return run.result;
  }
  return builtin(run, name, args);
}
