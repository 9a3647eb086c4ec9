// What a word stands for: variables, substituted commands, arithmetic, field splitting, braces and file names.
import { trimmedEnd } from "../../base/trim.ts";
import { braced } from "../braces.ts";
import { absolute } from "../paths.ts";
import { escaped, escapedPart, globMatches, globOf, hasPattern } from "../patterns/glob.ts";
import { build, charge, heapBytes, hold, scan } from "../meter.ts";
import { setVariable, type Shell } from "../evaluate/shell.ts";
import { edited } from "../edited.ts";
import { elements, isEachOf, lengthOf, wordsOf } from "../variables.ts";
import { after, type Deferred, finished, inTurn, isTask, type Task } from "../task.ts";
import type { List, Part, Word } from "../language/syntax.ts";
import { bounds, calculated, lookUp, refuseBad, refuseMissing, refusesUnset } from "./values.ts";

/** Runs commands for what they print. */
export type Substitute = (shell: Shell, list: List) => Deferred<string>;

/** What words become, one after the other. They are held by whoever goes on with them. */
export function expandWords(shell: Shell, words: readonly Word[], substitute: Substitute): Deferred<string[]> {
  const { process } = shell;
  const fields: string[] = [];
  let bytes = 0;
  const add = (expanded: readonly string[]) => {
    for (const one of expanded) {
      const size = heapBytes(one) + fieldBytes;
      hold(process, size);
      bytes += size;
      fields.push(one);
    }
  };
  const expandNext = (word: Word): Deferred<void> => {
    if (shell.flow) return;
    const [only] = word;
    if (word.length === 1 && only?.type === "text") return add(expandOnly(shell, only));
    return after(expandParts(shell, word, substitute), add);
  };
  return after(inTurn(words, expandNext), () => {
    hold(process, -bytes);
    return fields;
  });
}

interface Field {
  text: string;
  pattern: string;
  present: boolean;
}

/** Microseconds of adding to a field. */
const fieldWork = 0.5;

/** What a field takes beside its text. */
const fieldBytes = 48;

/** Letters that make more of a plain text than itself: braces, a home folder, a pattern. */
const special = /[{~*?[\\]/;

/** A word that is only text. */
function expandOnly(shell: Shell, { text, quoted }: Part & { type: "text" }): string[] {
  if (!quoted && !special.test(text)) {
    scan(shell.process, text);
    return [text];
  }
  // The command, not a pattern.
  if (quoted || text === "[") return [text];
  const hasBraces = !shell.isStrict || shell.dialect === "bash";
  const texts = hasBraces ? braced(shell.process, text) : [text];
  return texts.map((one) => fromHome(shell, one)).flatMap((one) => (shell.options.noglob ? [one] : files(shell, one)));
}

/** The words that a word becomes: none, one or several. */
function expandParts(shell: Shell, word: Word, substitute: Substitute): Deferred<string[]> {
  const { process, options } = shell;
  const fields: Field[] = [{ text: "", pattern: "", present: false }];
  let bytes = 0;
  const add = (text: string, quoted: boolean, isNext: boolean) => {
    const size = 2 * text.length + (isNext ? fieldBytes : 0);
    charge(process, fieldWork + size / 512);
    hold(process, size);
    bytes += size;
    if (isNext) fields.push({ text: "", pattern: "", present: false });
    const last = fields.at(-1);
    if (!last) return;
    last.text += text;
    last.pattern += quoted ? escaped(text) : text;
    last.present ||= quoted || text !== "";
  };
  const addSeveral = (several: readonly string[]) => {
    for (const [index, one] of several.entries()) add(one, true, index > 0);
    const last = fields.at(-1);
    if (last && several.length === 0) last.present = last.text !== "";
  };
  const addValue = (part: Part, at: number, value: string) => {
    if (part.type === "text") add(at === 0 && !part.quoted ? fromHome(shell, value) : value, part.quoted, false);
    else if (part.quoted || part.type === "file") add(value, part.quoted, false);
    else {
      const split = splitFields(shell, value);
      const isExact = /[^ \t\n]/.test(shell.variables.get("IFS") ?? "");
      for (const [index, one] of split.entries()) {
        add(one, false, index > 0);
        const last = fields.at(-1);
        // Between two marks there is a word, though it is empty.
        if (last && isExact && split.length > 1) last.present = true;
      }
    }
  };
  const addPart = (part: Part, at: number): Deferred<void> => {
    const several = part.type === "variable" && part.quoted ? severalOf(shell, part) : undefined;
    if (several) return addSeveral(several);
    return after(partValue(shell, part, substitute), (value) => addValue(part, at, value));
  };
  return after(inTurn(word, addPart), () => {
    hold(process, -bytes);
    return fields
      .filter((one) => one.present)
      .flatMap((one) =>
        !options.noglob && hasPattern(one.pattern.replace(/\\./g, "")) ? files(shell, one.pattern) : [one.text],
      );
  });
}

/** `"$@"`, `"${@:2}"`, `"${list[@]}"`, `"${list[@]:1:2}"`: a word each; undefined: one word. */
function severalOf(
  shell: Shell,
  { name, operator, argument }: Part & { type: "variable" },
): readonly string[] | undefined {
  if (operator !== "" && operator !== ":") return undefined;
  const all = wordsOf(shell, name);
  if (!all || operator === "") return all;
  const isParameters = name === "@";
  const counted = isParameters ? shell.parameters : all;
  const [from, to] = bounds(shell, textWithoutCommands(shell, argument), counted.length);
  return counted.slice(isParameters ? Math.max(from, 1) : from, to);
}

/** Bounds of a slice: commands in them are left out, and nothing is waited for. */
function textWithoutCommands(shell: Shell, word: Word): string {
  const text = expandText(shell, word, () => "");
  return isTask(text) ? "" : text;
}

/** What is not quoted is divided where `IFS` says; blanks at its ends are none of it. */
function splitFields({ process, variables }: Shell, value: string): readonly string[] {
  const separators = variables.get("IFS") ?? " \t\n";
  scan(process, value);
  if (separators === "") return [value];
  if (separators === " \t\n") return value.split(/[ \t\n]+/);
  charge(process, (value.length * separators.length) / 128);
  const isBlank = (letter: string) => separators.includes(letter) && " \t\n".includes(letter);
  const fields: string[] = [];
  let field = "";
  let at = 0;
  while (at < value.length) {
    const letter = value.charAt(at++);
    if (!separators.includes(letter)) {
      field += letter;
      continue;
    }
    while (isBlank(value.charAt(at))) at++;
    // Blanks around another separator belong to it.
    if (isBlank(letter) && separators.includes(value.charAt(at)) && at < value.length) {
      at++;
      while (isBlank(value.charAt(at))) at++;
    }
    fields.push(field);
    field = "";
  }
  return field === "" && fields.length > 0
    ? isBlank(value.at(-1) ?? "")
      ? [...fields, ""]
      : fields
    : [...fields, field];
}

/** `~`, `~/folder`, `~root`. */
function fromHome({ variables }: Shell, text: string): string {
  if (!text.startsWith("~")) return text;
  const home = variables.get("HOME") ?? "/root";
  return text.replace(/^~(root)?(?=\/|$)/, (_, root?: string) => (root === undefined ? home : "/root"));
}

/** The text of a word that is not split: a value, a redirection's target. */
export function expandText(shell: Shell, word: Word, substitute: Substitute): Deferred<string> {
  return joinedParts(shell, word, substitute, (value, part, at) =>
    at === 0 && part.type === "text" && !part.quoted ? fromHome(shell, value) : value,
  );
}

function joinedParts(
  shell: Shell,
  word: Word,
  substitute: Substitute,
  shown: (value: string, part: Part, at: number) => string,
): Deferred<string> {
  const { process } = shell;
  const [only] = word;
  if (word.length === 1 && only) return after(partValue(shell, only, substitute), (value) => shown(value, only, 0));
  const values: string[] = [];
  let length = 0;
  let bytes = 0;
  const add = (part: Part, at: number, computed: string) => {
    const value = shown(computed, part, at);
    // What a command printed is nobody else's.
    const size = part.type === "command" ? heapBytes(value) : 0;
    hold(process, size);
    bytes += size;
    length += value.length;
    values.push(value);
  };
  const addPart = (part: Part, at: number) =>
    after(partValue(shell, part, substitute), (value) => add(part, at, value));
  return after(inTurn(word, addPart), () => {
    build(process, length);
    hold(process, -bytes);
    return values.join("");
  });
}

/** As a pattern: what was quoted stands for itself. */
export function expandPattern(shell: Shell, word: Word, substitute: Substitute, literal = escaped): Deferred<string> {
  return joinedParts(shell, word, substitute, (value, part) => {
    scan(shell.process, value);
    return part.quoted ? literal(value) : value;
  });
}

function partValue(shell: Shell, part: Part, substitute: Substitute): Deferred<string> {
  switch (part.type) {
    case "text":
      return part.text;
    case "variable":
      return part.operator === "" ? plainValue(shell, part.name) : variableValue(shell, part, substitute);
    case "command":
      return after(substitute(shell, part.list), (text) => trimmedEnd(text, "\n"));
    case "file":
      return after(substitute(shell, part.list), (text) => shell.host.substituteFile(shell, text));
    case "arithmetic":
      return after(arithmeticValue(shell, part.expression, substitute), String);
  }
}

function plainValue(shell: Shell, name: string): string {
  const value = lookUp(shell, name);
  return value === undefined && refusesUnset(shell, name) ? "" : (value ?? "");
}

export function arithmeticValue(shell: Shell, expression: Word, substitute: Substitute): Deferred<bigint> {
  return after(expandText(shell, expression, substitute), (text) => calculated(shell, text));
}

function* variableValue(shell: Shell, part: Part & { type: "variable" }, substitute: Substitute): Task<string> {
  const { name, operator, argument } = part;
  const word = () => finished(expandText(shell, argument, substitute));
  if (operator === "bad") {
    refuseBad(shell, yield* word());
    return "";
  }
  const value = lookUp(shell, name);
  const missing = operator.startsWith(":") ? value === undefined || value === "" : value === undefined;
  switch (operator) {
    case "-":
    case ":-":
      return missing ? yield* word() : (value ?? "");
    case "+":
    case ":+":
      return missing ? "" : yield* word();
    case "=":
    case ":=":
      if (missing) setVariable(shell, name, yield* word());
      return lookUp(shell, name) ?? "";
    case "?":
    case ":?":
      if (missing) refuseMissing(shell, name, yield* word(), operator === ":?");
      return value ?? "";
  }
  if (value === undefined && refusesUnset(shell, name)) return "";
  if (operator === "length") return String(lengthOf(shell, name, value ?? ""));
  if (operator === ":" && (name === "@" || name === "*"))
    return (severalOf(shell, { ...part, name: "@" }) ?? []).join(" ");
  if (isEachOf(name)) return yield* ofEach(shell, part, substitute);
  if (operator === ":") {
    const range = yield* finished(expandPattern(shell, argument, substitute, escapedPart));
    const [from, to] = bounds(shell, range, (value ?? "").length);
    return (value ?? "").slice(from, to);
  }
  return edited(
    shell.process,
    value ?? "",
    operator,
    yield* finished(expandPattern(shell, argument, substitute, escapedPart)),
  );
}

/** `${list[@]%.txt}` changes each; `${list[@]:1}` takes some. */
function* ofEach(shell: Shell, part: Part & { type: "variable" }, substitute: Substitute): Task<string> {
  const { name, operator, argument } = part;
  if (operator === ":") return (severalOf(shell, { ...part, name: name.replace("*", "@") }) ?? []).join(" ");
  const pattern = yield* finished(expandPattern(shell, argument, substitute, escapedPart));
  return elements(shell, name.slice(0, -3))
    .map((one) => edited(shell.process, one, operator, pattern))
    .join(" ");
}

/** The files that a pattern names; the pattern itself if there are none. */
function files(shell: Shell, pattern: string): string[] {
  scan(shell.process, pattern);
  const hasEscapes = pattern.includes("\\");
  const bare = hasEscapes ? pattern.replace(/\\(.)/g, "$1") : pattern;
  if (!hasPattern(hasEscapes ? pattern.replace(/\\./g, "") : pattern)) return [bare];
  const whole = absolute(pattern, shell.folder);
  const spend = (units: number) => charge(shell.process, units);
  let found = [""];
  for (const part of whole.split("/").slice(1)) {
    const glob = globOf(part);
    found = found.flatMap((folder) =>
      shell.host
        .namesIn(shell, folder === "" ? "/" : folder)
        .filter((name) => globMatches(glob, name, spend) && (part.startsWith(".") || !name.startsWith(".")))
        .map((name) => `${folder}/${name}`),
    );
  }
  if (found.length === 0) return shell.options.nullglob ? [] : [bare];
  if (pattern.startsWith("/")) return found;
  const prefix = shell.folder === "/" ? "/" : `${shell.folder}/`;
  return found.map((one) => (one.startsWith(prefix) ? one.slice(prefix.length) : one));
}
