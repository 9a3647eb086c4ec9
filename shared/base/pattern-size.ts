// How many instructions a regular expression has at most, known before it is compiled: counted repeats multiply.

/** A Unicode class is a table of hundreds of ranges. */
const unicodeClass = 100;

interface Group {
  /** Of all that is closed in it. */
  total: number;
  /** Of what a repeat would apply to. */
  last: number;
}

/** Never less than what the compiler makes of it; reads the text once. What is wrong in it is not looked for. */
export function programBound(source: string): number {
  const open: Group[] = [];
  let here: Group = { total: 2, last: 0 };
  const atom = (size: number) => {
    here.total += here.last;
    here.last = size;
  };
  for (let at = 0; at < source.length; at++) {
    const letter = source.charAt(at);
    if (letter === "\\") {
      const [size, length] = escape(source, at);
      atom(size);
      at += length - 1;
    } else if (letter === "[") {
      const [size, end] = bracket(source, at);
      atom(size);
      at = end;
    } else if (letter === "(") {
      here.total += here.last;
      here.last = 0;
      open.push(here);
      here = { total: 2, last: 0 };
    } else if (letter === ")") {
      const size = here.total + here.last;
      here = open.pop() ?? { total: 2, last: 0 };
      atom(size);
    } else if (letter === "{") {
      const times = repeat(source, at);
      if (times === undefined) atom(1);
      else here.last = Math.max(here.last + 2, times * (here.last + 1) + 1);
    } else if (letter === "*" || letter === "+" || letter === "?") here.last += 2;
    else atom(letter === "|" ? 2 : 1);
  }
  return open.reduce((sum, one) => sum + one.total + one.last, here.total + here.last);
}

/** Its size, and how many letters it has. */
function escape(source: string, at: number): readonly [number, number] {
  const next = source.charAt(at + 1);
  if (next === "p" || next === "P") return [unicodeClass, 2];
  if (next !== "Q") return [1, 2];
  const end = source.indexOf("\\E", at + 2);
  const length = (end < 0 ? source.length : end + 2) - at;
  return [length, length];
}

/** Its size, and where it ends. */
function bracket(source: string, from: number): readonly [number, number] {
  let size = 1;
  let at = from + 1;
  if (source.charAt(at) === "^") at++;
  if (source.charAt(at) === "]") at++;
  for (; at < source.length && source.charAt(at) !== "]"; at++) {
    size += 0.1;
    if (source.charAt(at) === "[" && source.charAt(at + 1) === ":") {
      const end = source.indexOf(":]", at + 2);
      if (end > 0) at = end + 1;
    } else if (source.charAt(at) === "\\") {
      at++;
      if (/[pP]/.test(source.charAt(at))) size += unicodeClass;
    }
  }
  return [size, at];
}

const counted = /\{(\d{1,9})(?:(,)(\d{0,9}))?\}/y;

/** How often `{n}`, `{n,}` or `{n,m}` repeats at most what stands before it, in copies; undefined: it is none. */
function repeat(source: string, at: number): number | undefined {
  counted.lastIndex = at;
  const found = counted.exec(source);
  if (!found) return undefined;
  return Math.max(Number(found[1]), Number(found[3] || 0)) + (found[2] === undefined ? 0 : 1);
}
