// Constants in templates: numbers, characters and strings in Go's syntax.
import type { Token } from "./lexer.ts";

const simpleEscapes: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
  "'": "'",
  '"': '"',
};

/** Returns the value of a constant. Undefined if its syntax is wrong. */
export function constantOf({ type, text }: Token): { readonly value: unknown } | undefined {
  if (type === "raw") return { value: text.slice(1, -1) };
  if (type === "string" || type === "character") {
    const value = unquoted(text.slice(1, -1));
    if (value === undefined || type === "string") return value === undefined ? undefined : { value };
    const [character, ...more] = value;
    return character === undefined || more.length > 0 ? undefined : { value: BigInt(character.codePointAt(0) ?? 0) };
  }
  return numberOf(text);
}

/** Decodes the escapes of an interpreted string. Returns undefined for an invalid one. */
export function unquoted(body: string): string | undefined {
  let isValid = true;
  const value = body.replaceAll(
    /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([0-7]{3})|(.?))/gs,
    (_, hex?: string, short?: string, long?: string, octal?: string, letter?: string) => {
      const digits = hex ?? short ?? long;
      if (digits !== undefined || octal !== undefined) {
        const code = digits === undefined ? Number.parseInt(octal ?? "0", 8) : Number.parseInt(digits, 16);
        if (code <= 0x10ffff) return String.fromCodePoint(code);
      }
      const simple = simpleEscapes[letter ?? ""];
      if (simple === undefined) isValid = false;
      return simple ?? "";
    },
  );
  return isValid ? value : undefined;
}

/** Returns an integer as a bigint, and a floating-point number as a number. */
export function numberOf(text: string): { readonly value: bigint | number } | undefined {
  const plain = text.replaceAll("_", "");
  const [, sign = "", body = ""] = /^([+-]?)(.*)$/.exec(plain) ?? [];
  if (/^(0[xX][\da-fA-F]+|0[bB][01]+|0[oO][0-7]+|[1-9]\d*|0)$/.test(body)) {
    const value = BigInt(body);
    return inInt64({ value: sign === "-" ? -value : value });
  }
  if (/^0[0-7]+$/.test(body)) {
    const value = BigInt(`0o${body.slice(1)}`);
    return inInt64({ value: sign === "-" ? -value : value });
  }
  if (/^(\d+(?:\.\d*)?|\.\d+)([eE][+-]?\d+)?$/.test(body)) return { value: Number(plain) };
  const [, integer = "", fraction = "", power = "0"] =
    /^0[xX]([\da-fA-F]*)(?:\.([\da-fA-F]*))?[pP]([+-]?\d+)$/.exec(body) ?? [];
  if (integer + fraction !== "") {
    const value = Number.parseInt(integer + fraction, 16) * 2 ** (Number(power) - 4 * fraction.length);
    return { value: sign === "-" ? -value : value };
  }
  return undefined;
}

function inInt64<T extends { readonly value: bigint }>(constant: T): T | undefined {
  return BigInt.asIntN(64, constant.value) === constant.value ? constant : undefined;
}
