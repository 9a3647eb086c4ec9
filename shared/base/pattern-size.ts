// Estimates the number of instructions of a regular expression before it is compiled, because counted repeats multiply.

/** The size of a Unicode class: a table of hundreds of ranges. */
const unicodeClass = 100;

interface Group {
  /** The size of everything closed in the group. */
  total: number;
  /** The size of the last item, to which a repeat applies. */
  last: number;
}

/** Returns an upper bound of the compiled size in one pass. Syntax errors are ignored. */
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
  return open.reduce((sum, group) => sum + group.total + group.last, here.total + here.last);
}

/** Returns the size and the length of an escape. */
function escape(source: string, at: number): readonly [number, number] {
  const next = source.charAt(at + 1);
  if (next === "p" || next === "P") return [unicodeClass, 2];
  if (next !== "Q") return [1, 2];
  const end = source.indexOf("\\E", at + 2);
  const length = (end < 0 ? source.length : end + 2) - at;
  return [length, length];
}

/** Returns the size and the end of a bracket expression. */
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

/** Returns the number of copies of `{n}`, `{n,}` or `{n,m}`, or undefined if there is no repeat. */
function repeat(source: string, at: number): number | undefined {
  counted.lastIndex = at;
  const repeatMatch = counted.exec(source);
  if (!repeatMatch) return undefined;
  return Math.max(Number(repeatMatch[1]), Number(repeatMatch[3] || 0)) + (repeatMatch[2] === undefined ? 0 : 1);
}
