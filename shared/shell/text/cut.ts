// `cut`: parts of lines, by their numbers.

export interface Cut {
  /** `1,3-5,7-`. */
  readonly list: string;
  /** What divides a line; undefined: each letter is a part. */
  readonly mark: string | undefined;
  /** Between the parts that are left; the mark, if it is not said. */
  readonly put?: string | undefined;
  readonly isOthers?: boolean;
  /** Lines without the mark are left out. */
  readonly isOnlyMarked?: boolean;
}

/** What is left of a line; undefined: nothing is printed of it. Throws an `Error` for what is no list. */
export function cutter({ list, mark, put, isOthers, isOnlyMarked }: Cut): (line: string) => string | undefined {
  const ranges = list.split(",").map(rangeOf);
  const isWanted = (_: string, at: number) =>
    ranges.some(([from, to]) => at + 1 >= from && at + 1 <= to) !== (isOthers ?? false);
  return (line) => {
    if (mark === undefined) return [...line].filter(isWanted).join(put ?? "");
    const parts = line.split(mark);
    if (parts.length === 1) return isOnlyMarked ? undefined : line;
    return parts.filter(isWanted).join(put ?? mark);
  };
}

function rangeOf(text: string): readonly [from: number, to: number] {
  const [whole, first = "", dash, last = ""] = /^(\d*)(?:(-)(\d*))?$/.exec(text) ?? [];
  if (whole === undefined || (first === "" && last === "")) throw new Error(`invalid field value '${text}'`);
  if (first === "0") throw new Error("fields are numbered from 1");
  if (last !== "" && Number(last) < Number(first || 1)) throw new Error("invalid decreasing range");
  const from = Number(first || 1);
  return [from, dash === undefined ? from : last === "" ? Number.POSITIVE_INFINITY : Number(last)];
}
