// Programs that make one line of another, and lists of numbers as `cut` reads them.
import { type Call, eachInput } from "../program.ts";
import { linesOf } from "../streams.ts";

/** Prints what becomes of each line; undefined: nothing. */
export function filter(
  call: Call,
  names: readonly string[],
  change: (line: string) => string | undefined,
): Promise<number> {
  return eachInput(call, names, async (source) => {
    let count = 0;
    for await (const line of linesOf(source, call.signal)) {
      const made = change(line);
      if (made !== undefined) call.out.write(`${made}\n`);
      if (++count % 1000 !== 0) continue;
      await call.out.settled(call.signal);
      await call.shell.machine.breathe(call.signal);
    }
  });
}

/** `1,3-5,7-`; throws for anything else. */
export function ranges(list: string): (at: number) => boolean {
  const all = list.split(",").map((one) => {
    const [whole, first = "", dash, last = ""] = /^(\d*)(?:(-)(\d*))?$/.exec(one) ?? [];
    if (whole === undefined || (first === "" && last === "")) throw new Error(`invalid field value '${one}'`);
    if (first === "0") throw new Error("fields are numbered from 1");
    const from = Number(first || 1);
    return [from, dash === undefined ? from : last === "" ? Number.POSITIVE_INFINITY : Number(last)] as const;
  });
  return (at) => all.some(([from, to]) => at >= from && at <= to);
}
