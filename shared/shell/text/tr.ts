// The program `tr`: replaces characters.
import { unescaped } from "../escapes.ts";
import { charge, type Metered, chargeForReading } from "../meter.ts";

const classes: Readonly<Record<string, string>> = {
  upper: "A-Z",
  lower: "a-z",
  digit: "0-9",
  alpha: "A-Za-z",
  alnum: "A-Za-z0-9",
  space: " \t\n\r\v\f",
  blank: " \t",
  punct: "!-/:-@[-`{-~",
};

/** Translates a text piece by piece. `flags`: `c`, `d` and `s`. */
export function translator(
  payer: Metered,
  sets: readonly string[],
  flags: ReadonlySet<string>,
): (piece: string) => string {
  const [from = "", to = ""] = sets;
  const source = lettersOf(payer, from);
  const target = flags.has("d") ? [] : lettersOf(payer, to);
  const squeezed = new Set(flags.has("s") ? lettersOf(payer, sets.at(-1) ?? "") : []);
  const isOutside = flags.has("c") || flags.has("C");
  const places = new Map(source.map((letter, at) => [letter, at] as const).reverse());
  const final = target.at(-1);
  let last = "";
  return (piece) => {
    charge(payer, piece.length / 8);
    let result = "";
    for (const letter of piece) {
      const at = places.get(letter);
      const isMeant = (at === undefined) === isOutside;
      if (isMeant && flags.has("d")) continue;
      const put = isMeant ? ((isOutside ? final : (target[at ?? 0] ?? final)) ?? letter) : letter;
      if (put === last && squeezed.has(put)) continue;
      result += put;
      last = put;
    }
    return result;
  };
}

function lettersOf(payer: Metered, set: string): string[] {
  chargeForReading(payer, set);
  const units = [...unescaped(set.replace(/\[:(\w+):\]/g, (_, name: string) => classes[name] ?? ""))];
  const all: string[] = [];
  for (let at = 0; at < units.length; at++) {
    const [from = 0, to = 0] = [units[at]?.codePointAt(0), units[at + 2]?.codePointAt(0)];
    const isRange = units[at + 1] === "-" && at + 2 < units.length;
    charge(payer, isRange ? Math.max(to - from, 0) / 16 : 0.1);
    if (!isRange) all.push(units[at] ?? "");
    else for (let code = from; code <= to; code++) all.push(String.fromCodePoint(code));
    if (isRange) at += 2;
  }
  return all;
}
