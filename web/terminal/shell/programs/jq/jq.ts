// `jq` over JSON texts: the common language of jq 1.7, without `input`, modules, `label`, streaming and `$__loc__`.
import { type Call, eachInput, optionsOf, type Programs, readFile } from "../../program.ts";
import { Failure } from "../../shell.ts";
import { readAll } from "../../streams.ts";
import { builtinsOf } from "./builtins/catalogue.ts";
import { Interpreter, newScope } from "./run.ts";
import { parseFilter, type Node } from "./syntax.ts";
import { isRecord, isTrue, JqError } from "./values.ts";

export const jqPrograms: Programs = { jq: (call) => jq(call) };

const known =
  "rcnesSMCjaRf: --raw-output --compact-output --null-input --exit-status --slurp --sort-keys --monochrome-output --color-output --join-output --ascii-output --raw-input --tab --indent= --from-file=";

async function jq(call: Call): Promise<number> {
  const { args, variables } = withVariables(call);
  const options = optionsOf(args, known);
  const names = [...options.rest];
  const source = options.value("f", "from-file");
  const filter = source === undefined ? names.shift() : readFile(call, source);
  if (filter === undefined) throw new Failure("usage: jq [OPTIONS] FILTER [FILE...]", 2);
  const node = compiled(filter);
  const interpreter = new Interpreter((run) => builtinsOf(run, () => call.shell.machine.kubectl.around.clock.nowMs()));
  const inputs: unknown[] = [];
  let code = 0;
  if (!options.has("n", "null-input")) {
    code = await eachInput(call, names, async (input) => {
      const text = await readAll(input, call.signal);
      if (options.has("R", "raw-input"))
        inputs.push(...(options.has("s", "slurp") ? [text] : text.replace(/\n$/, "").split("\n")));
      else for (const value of jsonTexts(text)) inputs.push(value);
    });
  }
  const given = options.has("n", "null-input")
    ? [null]
    : options.has("s", "slurp") && !options.has("R", "raw-input")
      ? [inputs]
      : inputs;
  const show = shower(options);
  let last: unknown;
  for (const value of given) {
    try {
      let count = 0;
      for (const found of interpreter.values(node, value, newScope(variables))) {
        last = found;
        call.out.write(show(found));
        if (++count % 500 === 0) await call.shell.machine.breathe(call.signal);
      }
    } catch (error) {
      if (error instanceof RangeError) throw new Failure("error: the filter calls itself too deeply", 5);
      if (error instanceof Failure) throw error;
      if (!(error instanceof JqError)) throw error instanceof Error ? new Failure(`error: ${error.message}`, 3) : error;
      call.err.write(`jq: error (at <stdin>:0): ${error.message}\n`);
      code = 5;
    }
  }
  if (code === 0 && options.has("e", "exit-status")) return last === undefined ? 4 : isTrue(last) ? 0 : 1;
  return code === 1 ? 2 : code;
}

function compiled(filter: string): Node {
  try {
    return parseFilter(filter.trim() === "" ? "." : filter);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new Failure(`error: ${message}\njq: 1 compile error`, 3);
  }
}

/** `--arg` and `--argjson` take two values each. */
function withVariables(call: Call): { args: string[]; variables: Map<string, unknown> } {
  const args: string[] = [];
  const variables = new Map<string, unknown>();
  const named: Record<string, unknown> = {};
  for (let at = 0; at < call.args.length; at++) {
    const arg = call.args[at] ?? "";
    if (arg !== "--arg" && arg !== "--argjson") {
      args.push(arg);
      continue;
    }
    const [name = "", text = ""] = call.args.slice(at + 1, at + 3);
    at += 2;
    named[name] = arg === "--arg" ? text : [...jsonTexts(text)][0];
    variables.set(`$${name}`, named[name]);
  }
  variables.set(
    "$ENV",
    Object.fromEntries([...call.shell.exported].map((name) => [name, call.shell.variables.get(name) ?? ""])),
  );
  variables.set("$__prog_args", []);
  variables.set("$named", named);
  return { args, variables };
}

/** JSON texts one after the other, as jq reads them. */
function* jsonTexts(text: string): Generator<unknown, void, undefined> {
  const trimmed = text.trim();
  if (trimmed === "") return;
  const whole = attempt(trimmed);
  if (whole) return yield whole.value;
  let from = 0;
  let depth = 0;
  let isString = false;
  for (let at = 0; at <= text.length; at++) {
    const letter = text[at];
    if (isString) {
      if (letter === "\\") at++;
      else if (letter === '"') isString = false;
      if (at < text.length) continue;
    }
    if (letter === '"') isString = true;
    else if (letter === "{" || letter === "[") depth++;
    else if (letter === "}" || letter === "]") depth--;
    const isEnd = depth === 0 && (letter === undefined || letter === "}" || letter === "]" || /\s/.test(letter));
    if (!isEnd && at < text.length) continue;
    const part = text.slice(from, at + 1).trim();
    if (part === "") continue;
    const found = attempt(part);
    if (!found) throw new Failure(`parse error: Invalid JSON text: ${part.slice(0, 30)}`, 2);
    yield found.value;
    from = at + 1;
  }
}

function attempt(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

function shower(options: ReturnType<typeof optionsOf>): (value: unknown) => string {
  const isRaw = options.has("r", "j", "raw-output", "join-output");
  const end = options.has("j", "join-output") ? "" : "\n";
  const indent = options.has("c", "compact-output")
    ? undefined
    : options.has("tab")
      ? "\t"
      : Number(options.value("indent") ?? 2);
  return (value) => {
    if (isRaw && typeof value === "string") return value + end;
    return (
      (JSON.stringify(options.has("S", "sort-keys") ? sorted(value) : (value ?? null), null, indent) ?? "null") + end
    );
  };
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key])]),
  );
}
