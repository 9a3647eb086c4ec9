// Python, as far as the small programs of examples go: conditions, loops, printing, sleeping, exits. What else is said is passed over.
import { build, charge, comeBack, enter, heapBytes, hold } from "../meter.ts";
import { type Call, Growing, withLines } from "../program.ts";
import { advance } from "../process.ts";

type Value = string | number | boolean | undefined;

interface Line {
  readonly indent: number;
  readonly text: string;
}

interface Frame {
  readonly call: Call;
  readonly lines: readonly Line[];
  readonly names: Map<string, Value>;
  exit: number | undefined;
}

const mostRounds = 10_000;
/** What a program takes for each letter of it, once it was read. */
const bytesPerLetter = 16;

/** Returns the exit code. */
export function python(call: Call, code: string): number {
  const { process } = call;
  const held = process.meter.bytes;
  charge(process, code.length / 16);
  hold(process, code.length * bytesPerLetter);
  const lines = withLines(process, code, (all) => all.flatMap((line) => statementsOf(line))).filter(
    ({ text }) => text !== "" && !text.startsWith("#"),
  );
  const frame: Frame = { call, lines, names: new Map(), exit: undefined };
  block(frame, 0, lines.length);
  // A program's memory goes with it.
  process.meter.bytes = held;
  return frame.exit ?? 0;
}

/** `a; b` is two, unless a block follows a colon in the same line. */
function statementsOf(line: string): Line[] {
  const indent = /^\s*/.exec(line)?.[0].length ?? 0;
  const text = line.trim();
  const inline = /^((?:if|elif|while|for|else)\b[^"']*?:)\s+(\S.*)$/.exec(text);
  const parts = splitAt(inline?.[2] ?? text, ";");
  if (!inline) return parts.map((one) => ({ indent, text: one.trim() }));
  return [{ indent, text: inline[1] ?? "" }, ...parts.map((one) => ({ indent: indent + 1, text: one.trim() }))];
}

function halted({ exit, call }: Frame): boolean {
  return exit !== undefined || call.process.paused;
}

function block(frame: Frame, from: number, to: number): void {
  const { process } = frame.call;
  enter(process);
  statements(frame, from, to);
  comeBack(process);
}

function statements(frame: Frame, from: number, to: number): void {
  const { lines, call } = frame;
  let isDecided = false;
  for (let at = from; at < to && !halted(frame); ) {
    const { indent, text } = lines[at] ?? { indent: 0, text: "" };
    let end = at + 1;
    while (end < to && (lines[end]?.indent ?? 0) > indent) end++;
    charge(call.process, 2 + text.length / 16 + (end - at) / 50);
    const branch = /^(if|elif)\b(.*):$/.exec(text);
    if (branch) {
      if (branch[1] === "if") isDecided = false;
      const isChosen = !isDecided && Boolean(evaluate(frame, branch[2] ?? ""));
      if (isChosen) {
        isDecided = true;
        block(frame, at + 1, end);
      }
    } else if (/^else\s*:$/.test(text)) {
      if (!isDecided) block(frame, at + 1, end);
    } else if (/^(for|while)\b/.test(text)) loop(frame, text, at + 1, end);
    else if (/^(def|class)\b/.test(text)) isDecided = false;
    else if (text.endsWith(":")) block(frame, at + 1, end);
    else statement(frame, text);
    at = end;
  }
}

function loop(frame: Frame, text: string, from: number, to: number): void {
  const [, name = "", limits = ""] = /^for\s+(\w+)\s+in\s+range\((.*)\)\s*:$/.exec(text) ?? [];
  const condition = /^while\b(.*):$/.exec(text)?.[1];
  const [first = 0, second] = limits.split(",").map((one) => Number(evaluate(frame, one)));
  const [start, stop] = second === undefined ? [0, first] : [first, second];
  for (let round = 0; round < mostRounds && !halted(frame); round++) {
    if (condition === undefined ? start + round >= stop : !evaluate(frame, condition)) return;
    charge(frame.call.process, 1);
    const before = frame.call.process.clockMs;
    if (condition === undefined) frame.names.set(name, start + round);
    block(frame, from, to);
    const isIdle = condition?.trim() === "True" && frame.call.process.clockMs === before;
    if (isIdle && !halted(frame)) advance(frame.call.process, Number.POSITIVE_INFINITY);
  }
}

function statement(frame: Frame, text: string): void {
  const { call, names } = frame;
  const [, name = "", inner = ""] = /^([\w.]+)\((.*)\)$/.exec(text) ?? [];
  if (name === "print") {
    const shown = argumentsOf(inner).filter((one) => !/^(flush|end|file|sep)\s*=/.test(one));
    call.out(`${shown.map((one) => printed(evaluate(frame, one))).join(" ")}\n`);
  } else if (/^(time\.)?sleep$/.test(name)) advance(call.process, Number(evaluate(frame, inner) ?? 0) * 1000);
  else if (/^((sys|os)\.)?_?(exit|quit)$/.test(name)) frame.exit = Number(evaluate(frame, inner) ?? 0) & 255;
  const [, target, sign, source = ""] = /^(\w+)\s*([+-]?)=(?!=)(.*)$/.exec(text) ?? [];
  if (target === undefined) return;
  const given = evaluate(frame, source.trimStart());
  const before = Number(names.get(target) ?? 0);
  const value = sign === "+" ? before + Number(given) : sign === "-" ? before - Number(given) : given;
  hold(call.process, bytesOf(value) - bytesOf(names.get(target)));
  names.set(target, value);
}

function bytesOf(value: Value): number {
  return typeof value === "string" ? heapBytes(value) : 0;
}

function printed(value: Value): string {
  if (typeof value === "boolean") return value ? "True" : "False";
  return value === undefined ? "None" : String(value);
}

/** Parts between the commas of the outermost level. */
function argumentsOf(text: string): string[] {
  return splitAt(text, ",").map((one) => one.trim());
}

/** What stands between marks where nothing is open. */
function splitAt(text: string, mark: string): string[] {
  const parts: string[] = [];
  let from = 0;
  for (const at of openPlaces(text)) {
    if (text[at] !== mark) continue;
    parts.push(text.slice(from, at));
    from = at + 1;
  }
  return [...parts, text.slice(from)];
}

/** Places at which nothing is open: no quote, no bracket. */
function* openPlaces(text: string): Generator<number> {
  let depth = 0;
  let quote = "";
  for (let at = 0; at < text.length; at++) {
    const letter = text[at] ?? "";
    if (quote !== "") quote = letter === quote ? "" : quote;
    else if (letter === '"' || letter === "'") quote = letter;
    else if ("([{".includes(letter)) depth++;
    else if (")]}".includes(letter)) depth--;
    else if (depth === 0) yield at;
  }
}

/** Splits at the operators of a level, which stand between the parts. The last of them binds loosest. */
function operandsOf(text: string, operator: RegExp): string[] {
  const parts: string[] = [];
  let from = 0;
  for (const at of openPlaces(text)) {
    if (at < from) continue;
    operator.lastIndex = at;
    const found = operator.exec(text)?.[0];
    if (found === undefined) continue;
    parts.push(text.slice(from, at), found);
    from = at + found.length;
  }
  return [...parts, text.slice(from)];
}

const levels: readonly RegExp[] = [
  / or /y,
  / and /y,
  /(==|!=|<=|>=|<|>| not in | in )/y,
  /[+-](?!=)/y,
  /(\/\/|[*/%])/y,
];

/** What looking at a letter of an expression costs, at all levels. */
const letterWork = 0.3;

function evaluate(frame: Frame, text: string): Value {
  const { process } = frame.call;
  charge(process, 1 + text.length * letterWork);
  enter(process);
  const value = evaluated(frame, text);
  comeBack(process);
  return value;
}

function evaluated(frame: Frame, text: string): Value {
  const bare = text.trim();
  for (const level of levels) {
    const parts = operandsOf(bare, level);
    if (parts.length < 3 || parts[0]?.trim() === "") continue;
    return parts.slice(1).reduce<Value>(
      (left, part, index) => {
        return index % 2 === 0 ? left : applied(frame, left, parts[index]?.trim() ?? "", evaluate(frame, part));
      },
      evaluate(frame, parts[0] ?? ""),
    );
  }
  if (bare.startsWith("not ")) return !evaluate(frame, bare.slice(4));
  return atom(frame, bare);
}

function applied({ call: { process } }: Frame, left: Value, operator: string, right: Value): Value {
  if (operator === "or") return left || right;
  if (operator === "and") return left && right;
  if (operator === "==") return left === right;
  if (operator === "!=") return left !== right;
  if (operator === "in" || operator === "not in") return String(right).includes(String(left)) === (operator === "in");
  if (operator === "+" && typeof left === "string") {
    const more = printed(right);
    build(process, left.length + more.length);
    return left + more;
  }
  const [a, b] = [Number(left), Number(right)];
  const sums: Readonly<Record<string, Value>> = {
    "<": a < b,
    ">": a > b,
    "<=": a <= b,
    ">=": a >= b,
    "+": a + b,
    "-": a - b,
    "*": a * b,
    "/": a / b,
    "//": Math.floor(a / b),
    "%": b === 0 ? undefined : ((a % b) + b) % b,
  };
  return sums[operator];
}

/** `f"{name}"`. */
function filled(frame: Frame, text: string): string {
  const whole = new Growing(frame.call.process);
  let end = 0;
  for (const found of text.matchAll(/\{([^{}]+)\}/g)) {
    whole.add(text.slice(end, found.index));
    whole.add(printed(evaluate(frame, found[1] ?? "")));
    end = found.index + found[0].length;
  }
  whole.add(text.slice(end));
  return whole.take();
}

function atom(frame: Frame, text: string): Value {
  if (/^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  if (text === "True" || text === "False") return text === "True";
  const [, kind = "", , body = ""] = /^(f?)(["'])(.*)\2$/.exec(text) ?? [];
  if (/^f?["']/.test(text)) {
    const plain = body.replace(/\\n/g, "\n").replace(/\\t/g, "\t");
    return kind === "f" ? filled(frame, plain) : plain;
  }
  if (text.startsWith("(") && text.endsWith(")")) return evaluate(frame, text.slice(1, -1));
  const variable = /^os\.environ\[(.*)\]$/.exec(text)?.[1];
  if (variable !== undefined) return frame.call.shell.variables.get(printed(evaluate(frame, variable)));
  const [, name, inner = ""] = /^([\w.]+)\((.*)\)$/.exec(text) ?? [];
  if (name === undefined) return frame.names.get(text);
  const given = argumentsOf(inner).map((one) => evaluate(frame, one));
  switch (name) {
    case "int":
    case "float":
      return name === "int" ? Math.trunc(Number(given[0])) : Number(given[0]);
    case "str":
      return printed(given[0]);
    case "len":
      return String(given[0]).length;
    case "os.environ.get":
    case "os.getenv":
      return frame.call.shell.variables.get(printed(given[0])) ?? given[1];
    case "socket.gethostname":
      return frame.call.process.host;
    default:
      return undefined;
  }
}
