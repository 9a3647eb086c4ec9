// The language of `--set`: `a.b=1,list[0]=x,names={a,b},key\.with\.dots=v`.
import { getKey, isObject, type JsonObject, setKey } from "../../../../../shared/schema/json-values.ts";

/** The highest index of a list, and the deepest nesting, as in Helm. */
const maxIndex = 65_536;
const maxNesting = 30;

type Convert = (text: string) => unknown;

/** Returns an integer, boolean or null for a text that is one. */
function typedValue(text: string): unknown {
  if (/^true$/i.test(text)) return true;
  if (/^false$/i.test(text)) return false;
  if (/^null$/i.test(text)) return null;
  if (text === "0") return 0n;
  if (/^[+-]?[1-9]\d*$|^[+-]0\d*$/.test(text)) {
    const value = BigInt(text.replace(/^\+/, ""));
    if (BigInt.asIntN(64, value) === value) return value;
  }
  return text;
}

/** Merges the settings of a text into values. Throws with Helm's words. */
export function applySet(text: string, values: JsonObject, kind: "typed" | "string" | "json" | "literal"): void {
  if (kind === "literal") {
    const equals = text.indexOf("=");
    if (equals < 0) throw new Error(`key ${JSON.stringify(text)} has no value`);
    return new Setter(`${text.slice(0, equals + 1)}`, values, () => text.slice(equals + 1), false).run();
  }
  new Setter(text, values, kind === "string" ? (value) => value : typedValue, kind === "json").run();
}

type Key = string | number;

class Setter {
  readonly #text: string;
  readonly #values: JsonObject;
  readonly #convert: Convert;
  readonly #isJson: boolean;
  #at = 0;

  constructor(text: string, values: JsonObject, convert: Convert, isJson: boolean) {
    this.#text = text;
    this.#values = values;
    this.#convert = convert;
    this.#isJson = isJson;
  }

  run(): void {
    while (this.#at < this.#text.length) {
      const path = this.#path();
      const { value, isSet } = this.#value();
      if (isSet) put(this.#values, path, value);
    }
  }

  /** Reads up to one of the characters. A backslash takes the next character literally. */
  #until(stops: string): { text: string; stop: string } {
    let text = "";
    while (this.#at < this.#text.length) {
      const character = this.#text.charAt(this.#at++);
      if (character === "\\") text += this.#text.charAt(this.#at++);
      else if (stops.includes(character)) return { text, stop: character };
      else text += character;
    }
    return { text, stop: "" };
  }

  #path(): Key[] {
    const path: Key[] = [];
    for (;;) {
      const { text, stop } = this.#until(".[=,");
      if (path.length > maxNesting)
        throw new Error(`value name nested level is greater than maximum supported nested level of ${maxNesting}`);
      const isAfterIndex = typeof path.at(-1) === "number" && text === "";
      if (stop === "" || stop === ",")
        throw new Error(
          text === "" && stop === ""
            ? "EOF"
            : `key ${JSON.stringify(text)} has no value${stop === "," ? " (cannot end with ,)" : ""}`,
        );
      if (text !== "" || !isAfterIndex) path.push(text);
      if (stop === "=") return path;
      if (stop === "[") path.push(this.#index());
    }
  }

  #index(): number {
    const { text } = this.#until("]");
    if (!/^-?\d+$/.test(text))
      throw new Error(`error parsing index: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`);
    const index = Number(text);
    if (index < 0) throw new Error(`error parsing index: negative ${text} index not allowed`);
    if (index > maxIndex) throw new Error(`index of ${index} is greater than maximum supported index of ${maxIndex}`);
    return index;
  }

  #value(): { value: unknown; isSet: boolean } {
    if (this.#isJson) return this.#json();
    if (this.#text.charAt(this.#at) === "{") {
      this.#at++;
      return { value: this.#list(), isSet: true };
    }
    const { text } = this.#until(",");
    return { value: this.#convert(text), isSet: true };
  }

  #list(): unknown[] {
    const items: unknown[] = [];
    for (;;) {
      const { text, stop } = this.#until(",}");
      if (stop === "") throw new Error("list must terminate with '}'");
      if (stop === "," || text !== "" || items.length > 0) items.push(this.#convert(text));
      if (stop === ",") continue;
      if (this.#text.charAt(this.#at) === ",") this.#at++;
      return items;
    }
  }

  /** Reads the longest JSON value that a comma or the end follows. */
  #json(): { value: unknown; isSet: boolean } {
    const rest = this.#text.slice(this.#at);
    if (rest === "") return { value: null, isSet: true };
    for (const end of endsOf(rest)) {
      try {
        const value = JSON.parse(rest.slice(0, end)) as unknown;
        this.#at += end + 1;
        return { value, isSet: true };
      } catch {
        // A comma inside the value; the next one may end it.
      }
    }
    throw new Error(`failed parsing JSON: invalid value ${JSON.stringify(rest)}`);
  }
}

function endsOf(text: string): number[] {
  const commas = [...text.matchAll(/,/g)].map(({ index }) => index);
  return [...commas.slice(0, 1000), text.length];
}

function put(values: JsonObject, path: readonly Key[], value: unknown): void {
  let target: JsonObject | unknown[] = values;
  for (const [at, key] of path.entries()) {
    const isLast = at === path.length - 1;
    const isListNext = typeof path[at + 1] === "number";
    const before: unknown =
      typeof key === "number" && Array.isArray(target)
        ? target[key]
        : isObject(target)
          ? getKey(target, String(key))
          : undefined;
    const next = isLast ? value : isListNext ? (Array.isArray(before) ? before : []) : isObject(before) ? before : {};
    if (Array.isArray(target)) {
      while (target.length < Number(key)) target.push(null);
      target[Number(key)] = next;
    } else setKey(target, String(key), next);
    if (!isLast) target = next as JsonObject | unknown[]; // Made above.
  }
}
