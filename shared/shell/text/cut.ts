// The program `cut`: selects fields of lines by their numbers.

export interface Cut {
  /** The numbers of fields: `1,3-5,7-`. */
  readonly list: string;
  /** The delimiter; undefined if each character is a field. */
  readonly mark: string | undefined;
  /** The delimiter of the output; the default is that of the input. */
  readonly put?: string | undefined;
  readonly isOthers?: boolean;
  /** Whether lines without the delimiter are dropped. */
  readonly isOnlyMarked?: boolean;
}

/** Returns the function that cuts a line; it returns undefined for a line that is dropped. Throws an `Error` if the list is malformed. */
export function cutter({ list, mark, put, isOthers, isOnlyMarked }: Cut): (line: string) => string | undefined {
  const ranges = list.split(",").map(rangeOf);
  const isWanted = (_: string, at: number) =>
    ranges.some(([from, to]) => at + 1 >= from && at + 1 <= to) !== (isOthers ?? false);
  return (line) => {
    if (mark === undefined) return [...line].filter(isWanted).join(put ?? "");
    const fields = line.split(mark);
    if (fields.length === 1) return isOnlyMarked ? undefined : line;
    return fields.filter(isWanted).join(put ?? mark);
  };
}

function rangeOf(text: string): readonly [from: number, to: number] {
  const [range, first = "", dash, last = ""] = /^(\d*)(?:(-)(\d*))?$/.exec(text) ?? [];
  if (range === undefined || (first === "" && last === "")) throw new Error(`invalid field value '${text}'`);
  if (first === "0") throw new Error("fields are numbered from 1");
  if (last !== "" && Number(last) < Number(first || 1)) throw new Error("invalid decreasing range");
  const from = Number(first || 1);
  return [from, dash === undefined ? from : last === "" ? Number.POSITIVE_INFINITY : Number(last)];
}
