// Parses command-line flags as pflag does: long and short, with values after `=` or as the next word, anywhere before `--`.
import { parseDuration } from "../../shared/schema/durations.ts";
import type { Flag } from "./flag.ts";

/** The flag values of a command line. A name that the command does not declare is empty. */
export class FlagValues {
  readonly #values = new Map<string, string[]>();
  readonly #declared: ReadonlyMap<string, Flag>;

  constructor(declared: ReadonlyMap<string, Flag>) {
    this.#declared = declared;
  }

  has(name: string): boolean {
    return this.#declared.has(name);
  }

  changed(name: string): boolean {
    return this.#values.has(name);
  }

  text(name: string): string {
    return this.#values.get(name)?.at(-1) ?? String(this.#declared.get(name)?.default ?? "");
  }

  bool(name: string): boolean {
    return this.text(name) === "true";
  }

  int(name: string): number {
    return Number(this.text(name) || "0");
  }

  /** Parses nanoseconds as a number, which is exact enough. */
  durationMs(name: string): number {
    const nanos = parseDuration(this.text(name) || "0");
    return typeof nanos === "bigint" ? Number(nanos) / 1e6 : 0;
  }

  list(name: string): string[] {
    return [...(this.#values.get(name) ?? [])];
  }

  set(flag: Flag, text: string): void {
    const before = this.#values.get(flag.name) ?? [];
    if (flag.type === "strings") this.#values.set(flag.name, [...before, ...commaSeparated(text)]);
    else if (flag.type === "array") this.#values.set(flag.name, [...before, text]);
    else this.#values.set(flag.name, [text]);
  }
}

export interface Parsed {
  readonly values: FlagValues;
  readonly args: readonly string[];
  readonly dash: number;
}

/** Throws an Error with pflag's message. */
export function parseFlags(words: readonly string[], flags: readonly Flag[]): Parsed {
  const byName = new Map(flags.map((flag) => [flag.name, flag]));
  const byShort = new Map(flags.flatMap((flag) => (flag.short ? [[flag.short, flag] as const] : [])));
  const values = new FlagValues(byName);
  const args: string[] = [];
  let dash = -1;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    const next = words[at + 1];
    if (word === "--") {
      dash = args.length;
      args.push(...words.slice(at + 1));
      break;
    }
    if (!word.startsWith("-") || word === "-") args.push(word);
    else if (word.startsWith("--")) at += longFlag(word, next, byName, values);
    else at += shortFlags(word, next, byShort, values);
  }
  return { values, args, dash };
}

/** Parses a long flag. Returns the number of words that it used after itself. */
function longFlag(
  word: string,
  next: string | undefined,
  flagsByName: ReadonlyMap<string, Flag>,
  values: FlagValues,
): number {
  const body = word.slice(2);
  if (body.startsWith("-") || body.startsWith("=")) throw new Error(`bad flag syntax: ${word}`);
  const equals = body.indexOf("=");
  const name = equals < 0 ? body : body.slice(0, equals);
  const flag = flagsByName.get(name);
  if (!flag) throw new Error(`unknown flag: --${name}`);
  if (equals >= 0) return put(values, flag, body.slice(equals + 1)), 0;
  const bare = bareValue(flag);
  if (bare !== undefined) return put(values, flag, bare), 0;
  if (next === undefined) throw new Error(`flag needs an argument: ${word}`);
  put(values, flag, next);
  return 1;
}

function shortFlags(
  word: string,
  next: string | undefined,
  flagsByName: ReadonlyMap<string, Flag>,
  values: FlagValues,
): number {
  const letters = word.slice(1);
  for (let at = 0; at < letters.length; at++) {
    const letter = letters[at] ?? "";
    const flag = flagsByName.get(letter);
    if (!flag) throw new Error(`unknown shorthand flag: '${letter}' in ${word}`);
    const rest = letters.slice(at + 1);
    const bare = bareValue(flag);
    if (rest.length > 1 && rest.startsWith("=")) return put(values, flag, rest.slice(1)), 0;
    if (bare !== undefined) put(values, flag, bare);
    else if (rest) return put(values, flag, rest), 0;
    else if (next === undefined) throw new Error(`flag needs an argument: '${letter}' in ${word}`);
    else return put(values, flag, next), 1;
  }
  return 0;
}

function bareValue(flag: Flag): string | undefined {
  return flag.bare ?? (flag.type === "bool" ? "true" : undefined);
}

function put(values: FlagValues, flag: Flag, text: string): void {
  const wrong = problem(flag, text);
  const flagName = flag.short ? `-${flag.short}, --${flag.name}` : `--${flag.name}`;
  if (wrong) throw new Error(`invalid argument ${JSON.stringify(text)} for "${flagName}" flag: ${wrong}`);
  values.set(flag, flag.type === "bool" ? String(/^(1|t|T|TRUE|true|True)$/.test(text)) : text);
}

function problem({ type }: Flag, text: string): string | undefined {
  if (type === "bool" && !/^(1|t|T|TRUE|true|True|0|f|F|FALSE|false|False)$/.test(text)) {
    return `strconv.ParseBool: parsing ${JSON.stringify(text)}: invalid syntax`;
  }
  if (type === "int" && !/^[+-]?\d+$/.test(text)) {
    return `strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`;
  }
  if (type === "duration") {
    const nanos = parseDuration(text);
    if (typeof nanos !== "bigint") return nanos.error;
  }
  return undefined;
}

/** Splits a CSV line, as pflag reads slices. */
function commaSeparated(text: string): string[] {
  if (text === "") return [];
  return (text.match(/(?:^|,)(?:"(?:[^"]|"")*"|[^,]*)/g) ?? []).map((field) => {
    const bare = field.startsWith(",") ? field.slice(1) : field;
    return bare.startsWith('"') && bare.endsWith('"') ? bare.slice(1, -1).replaceAll('""', '"') : bare;
  });
}
