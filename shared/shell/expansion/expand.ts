// Expands words: variables, command substitution, arithmetic, field splitting, braces and file names.
import { trimmedEnd } from "../../base/trim.ts";
import { braced } from "../braces.ts";
import { absolute } from "../paths.ts";
import { escaped, escapedPart, globMatches, globOf, hasPattern } from "../patterns/glob.ts";
import { chargeForBuilding, charge, heapBytes, hold, chargeForReading } from "../meter.ts";
import { setVariable, type Shell } from "../evaluate/shell.ts";
import { edited } from "../edited.ts";
import { elements, isEachOf, lengthOf, wordsOf } from "../variables.ts";
import { after, type Deferred, finished, inTurn, isTask, type Task } from "../task.ts";
import type { List, Piece, Word } from "../language/syntax.ts";
import { bounds, evaluateOrReport, lookUp, refuseBad, refuseMissing, refusesUnset } from "./values.ts";

/** Runs commands and returns their output. */
export type Substitute = (shell: Shell, list: List) => Deferred<string>;

/** Expands words in order. The caller takes over the memory that they hold. */
export function expandWords(shell: Shell, words: readonly Word[], substitute: Substitute): Deferred<string[]> {
  const { process } = shell;
  const fields: string[] = [];
  let bytes = 0;
  const add = (expanded: readonly string[]) => {
    for (const field of expanded) {
      const size = heapBytes(field) + fieldBytes;
      hold(process, size);
      bytes += size;
      fields.push(field);
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

/** Bytes of a field beside its text. */
const fieldBytes = 48;

/** Characters that a plain text expands by: braces, a home folder, a pattern. */
const special = /[{~*?[\\]/;

/** Expands a word that consists of one text. */
function expandOnly(shell: Shell, { text, quoted }: Piece & { type: "text" }): string[] {
  if (!quoted && !special.test(text)) {
    chargeForReading(shell.process, text);
    return [text];
  }
  // This is the command `[`, not a pattern.
  if (quoted || text === "[") return [text];
  const hasBraces = !shell.isStrict || shell.dialect === "bash";
  const texts = hasBraces ? braced(shell.process, text) : [text];
  return texts
    .map((alternative) => fromHome(shell, alternative))
    .flatMap((alternative) => (shell.options.noglob ? [alternative] : files(shell, alternative)));
}

/** Expands a word into none, one or several. */
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
    for (const [index, fieldText] of several.entries()) add(fieldText, true, index > 0);
    const last = fields.at(-1);
    if (last && several.length === 0) last.present = last.text !== "";
  };
  const addValue = (piece: Piece, at: number, value: string) => {
    if (piece.type === "text") add(at === 0 && !piece.quoted ? fromHome(shell, value) : value, piece.quoted, false);
    else if (piece.quoted || piece.type === "file") add(value, piece.quoted, false);
    else {
      const split = splitFields(shell, value);
      const isExact = /[^ \t\n]/.test(shell.variables.get("IFS") ?? "");
      for (const [index, fieldText] of split.entries()) {
        add(fieldText, false, index > 0);
        const last = fields.at(-1);
        // Between two separators there is a field, even if it is empty.
        if (last && isExact && split.length > 1) last.present = true;
      }
    }
  };
  const addPart = (piece: Piece, at: number): Deferred<void> => {
    const several = piece.type === "variable" && piece.quoted ? severalOf(shell, piece) : undefined;
    if (several) return addSeveral(several);
    return after(partValue(shell, piece, substitute), (value) => addValue(piece, at, value));
  };
  return after(inTurn(word, addPart), () => {
    hold(process, -bytes);
    return fields
      .filter((field) => field.present)
      .flatMap((field) =>
        !options.noglob && hasPattern(field.pattern.replace(/\\./g, "")) ? files(shell, field.pattern) : [field.text],
      );
  });
}

/** Returns the fields of `"$@"`, `"${@:2}"`, `"${list[@]}"` and `"${list[@]:1:2}"`. Undefined if the expansion is a single field. */
function severalOf(
  shell: Shell,
  { name, operator, argument }: Piece & { type: "variable" },
): readonly string[] | undefined {
  if (operator !== "" && operator !== ":") return undefined;
  const all = wordsOf(shell, name);
  if (!all || operator === "") return all;
  const isParameters = name === "@";
  const counted = isParameters ? shell.parameters : all;
  const [from, to] = bounds(shell, textWithoutCommands(shell, argument), counted.length);
  return counted.slice(isParameters ? Math.max(from, 1) : from, to);
}

/** Returns the text of a slice's bounds without commands in them, synchronously. */
function textWithoutCommands(shell: Shell, word: Word): string {
  const text = expandText(shell, word, () => "");
  return isTask(text) ? "" : text;
}

/** Splits unquoted text at the characters of `IFS`, and drops blanks at its ends. */
function splitFields({ process, variables }: Shell, value: string): readonly string[] {
  const separators = variables.get("IFS") ?? " \t\n";
  chargeForReading(process, value);
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
    // Blanks around another separator belong to that separator.
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

/** Expands `~`, `~/folder` and `~root`. */
function fromHome({ variables }: Shell, text: string): string {
  if (!text.startsWith("~")) return text;
  const home = variables.get("HOME") ?? "/root";
  return text.replace(/^~(root)?(?=\/|$)/, (_, root?: string) => (root === undefined ? home : "/root"));
}

/** Expands a word that is not split: a value, or the target of a redirection. */
export function expandText(shell: Shell, word: Word, substitute: Substitute): Deferred<string> {
  return joinedParts(shell, word, substitute, (value, piece, at) =>
    at === 0 && piece.type === "text" && !piece.quoted ? fromHome(shell, value) : value,
  );
}

function joinedParts(
  shell: Shell,
  word: Word,
  substitute: Substitute,
  transform: (value: string, piece: Piece, at: number) => string,
): Deferred<string> {
  const { process } = shell;
  const [only] = word;
  if (word.length === 1 && only) return after(partValue(shell, only, substitute), (value) => transform(value, only, 0));
  const values: string[] = [];
  let length = 0;
  let bytes = 0;
  const add = (piece: Piece, at: number, computed: string) => {
    const value = transform(computed, piece, at);
    // The output of a command belongs to this expansion alone.
    const size = piece.type === "command" ? heapBytes(value) : 0;
    hold(process, size);
    bytes += size;
    length += value.length;
    values.push(value);
  };
  const addPart = (piece: Piece, at: number) =>
    after(partValue(shell, piece, substitute), (value) => add(piece, at, value));
  return after(inTurn(word, addPart), () => {
    chargeForBuilding(process, length);
    hold(process, -bytes);
    return values.join("");
  });
}

/** Expands a word as a pattern, in which quoted text is literal. */
export function expandPattern(shell: Shell, word: Word, substitute: Substitute, literal = escaped): Deferred<string> {
  return joinedParts(shell, word, substitute, (value, piece) => {
    chargeForReading(shell.process, value);
    return piece.quoted ? literal(value) : value;
  });
}

function partValue(shell: Shell, piece: Piece, substitute: Substitute): Deferred<string> {
  switch (piece.type) {
    case "text":
      return piece.text;
    case "variable":
      return piece.operator === "" ? plainValue(shell, piece.name) : variableValue(shell, piece, substitute);
    case "command":
      return after(substitute(shell, piece.list), (text) => trimmedEnd(text, "\n"));
    case "file":
      return after(substitute(shell, piece.list), (text) => shell.host.substituteFile(shell, text));
    case "arithmetic":
      return after(arithmeticValue(shell, piece.expression, substitute), String);
  }
}

function plainValue(shell: Shell, name: string): string {
  const value = lookUp(shell, name);
  return value === undefined && refusesUnset(shell, name) ? "" : (value ?? "");
}

export function arithmeticValue(shell: Shell, expression: Word, substitute: Substitute): Deferred<bigint> {
  return after(expandText(shell, expression, substitute), (text) => evaluateOrReport(shell, text));
}

function* variableValue(shell: Shell, piece: Piece & { type: "variable" }, substitute: Substitute): Task<string> {
  const { name, operator, argument } = piece;
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
    return (severalOf(shell, { ...piece, name: "@" }) ?? []).join(" ");
  if (isEachOf(name)) return yield* ofEach(shell, piece, substitute);
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

/** Expands `${list[@]%.txt}`, which edits each element, and `${list[@]:1}`, which returns some. */
function* ofEach(shell: Shell, piece: Piece & { type: "variable" }, substitute: Substitute): Task<string> {
  const { name, operator, argument } = piece;
  if (operator === ":") return (severalOf(shell, { ...piece, name: name.replace("*", "@") }) ?? []).join(" ");
  const pattern = yield* finished(expandPattern(shell, argument, substitute, escapedPart));
  return elements(shell, name.slice(0, -3))
    .map((element) => edited(shell.process, element, operator, pattern))
    .join(" ");
}

/** Returns the files that match a pattern, or the pattern itself if there are none. */
function files(shell: Shell, pattern: string): string[] {
  chargeForReading(shell.process, pattern);
  const hasEscapes = pattern.includes("\\");
  const bare = hasEscapes ? pattern.replace(/\\(.)/g, "$1") : pattern;
  if (!hasPattern(hasEscapes ? pattern.replace(/\\./g, "") : pattern)) return [bare];
  const absolutePattern = absolute(pattern, shell.folder);
  const spend = (units: number) => charge(shell.process, units);
  let folders = [""];
  for (const segment of absolutePattern.split("/").slice(1)) {
    const glob = globOf(segment);
    folders = folders.flatMap((folder) =>
      shell.host
        .namesIn(shell, folder === "" ? "/" : folder)
        .filter((name) => globMatches(glob, name, spend) && (segment.startsWith(".") || !name.startsWith(".")))
        .map((name) => `${folder}/${name}`),
    );
  }
  if (folders.length === 0) return shell.options.nullglob ? [] : [bare];
  if (pattern.startsWith("/")) return folders;
  const prefix = shell.folder === "/" ? "/" : `${shell.folder}/`;
  return folders.map((file) => (file.startsWith(prefix) ? file.slice(prefix.length) : file));
}
