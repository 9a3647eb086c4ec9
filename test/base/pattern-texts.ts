// Small expressions and globs made by chance, each in the writings of several languages, and words that they may match.
import type { Random } from "../../shared/base/random.ts";

interface Expression {
  readonly javascript: string;
  readonly extended: string;
  readonly basic: string;
}

interface Glob {
  readonly shell: string;
  readonly javascript: string;
}

export function newTexts(random: Pick<Random, "next">) {
  const below = (count: number) => Math.floor(random.next() * count);
  const pick = <T>(list: readonly [T, ...T[]]): T => list[below(list.length)] ?? list[0];
  const same = (text: string): Expression => ({ javascript: text, extended: text, basic: text });

  const atom = (depth: number): Expression => {
    const kind = below(depth > 0 ? 8 : 6);
    if (kind < 3) return same(pick(["a", "b", "c"]));
    if (kind === 3) return same(".");
    if (kind === 4) return same(pick(["[ab]", "[^a]", "[a-c]", "[^b-c]"]));
    if (kind === 5) return { javascript: "\\.", extended: "\\.", basic: "\\." };
    const { javascript, extended, basic } = expression(depth - 1);
    return { javascript: `(${javascript})`, extended: `(${extended})`, basic: `\\(${basic}\\)` };
  };
  const repeated = (depth: number): Expression => {
    const { javascript, extended, basic } = atom(depth);
    const kind = below(8);
    if (kind < 4) return { javascript, extended, basic };
    const [sign, basicSign] = pick([
      ["*", "*"],
      ["+", "\\+"],
      ["?", "\\?"],
      ["{2}", "\\{2\\}"],
      ["{1,2}", "\\{1,2\\}"],
    ]);
    return { javascript: javascript + sign, extended: extended + sign, basic: basic + basicSign };
  };
  const sequence = (depth: number): Expression => {
    const all = Array.from({ length: 1 + below(3) }, () => repeated(depth));
    const joined = (name: keyof Expression) => all.map((expression) => expression[name]).join("");
    return { javascript: joined("javascript"), extended: joined("extended"), basic: joined("basic") };
  };
  const expression = (depth: number): Expression => {
    const first = sequence(depth);
    if (below(3) > 0) return first;
    const second = sequence(depth);
    return {
      javascript: `${first.javascript}|${second.javascript}`,
      extended: `${first.extended}|${second.extended}`,
      basic: `${first.basic}\\|${second.basic}`,
    };
  };
  const token = (): Glob => {
    const kind = below(7);
    if (kind < 3) {
      const letter = pick(["a", "b", "c"]);
      return { shell: letter, javascript: letter };
    }
    if (kind === 3) return { shell: "?", javascript: "." };
    if (kind === 4) return { shell: "*", javascript: ".*" };
    if (kind === 5)
      return pick([
        { shell: "[ab]", javascript: "[ab]" },
        { shell: "[!a]", javascript: "[^a]" },
      ]);
    return { shell: "\\*", javascript: "\\*" };
  };
  return {
    expression,
    glob: (): Glob => {
      const all = Array.from({ length: 1 + below(5) }, token);
      return { shell: all.map((glob) => glob.shell).join(""), javascript: all.map((glob) => glob.javascript).join("") };
    },
    word: (): string => Array.from({ length: below(8) }, () => pick(["a", "b", "c", "a", "b", ".", "*", "é"])).join(""),
  };
}
