// journalctl for the services of a node.
import type { Task } from "../../../../../shared/shell/task.ts";
import { options } from "../../../../../shared/shell/options.ts";
import { isUnit, type JournalLine, unitNames } from "../../../node/units.ts";
import type { ProgramCall } from "../../program.ts";
import { sleep } from "../../system-call.ts";
import { journalOf, journalText } from "./journal.ts";

/** How often `-f` looks for new lines. */
const followMs = 2_000;

export function* journalctl(call: ProgramCall): Task<number> {
  const { out, err, process, args } = call;
  const { values, flags } = options(separated(args), "unoSU");
  const name = values.get("u") ?? values.get("unit");
  const units = name === undefined ? unitNames : [name.replace(/\.service$/, "")].filter(isUnit);
  const since = timeOf(values.get("S") ?? values.get("since"), process.clockMs);
  const until = timeOf(values.get("U") ?? values.get("until"), process.clockMs);
  if (since === "invalid" || until === "invalid") {
    err(
      `Failed to parse timestamp: ${values.get("S") ?? values.get("since") ?? values.get("U") ?? values.get("until") ?? ""}\n`,
    );
    return 1;
  }
  const read = function* (): Task<JournalLine[]> {
    const all: JournalLine[] = [];
    for (const unit of units) all.push(...(yield* journalOf(process, unit)));
    return all
      .sort((a, b) => a.atMs - b.atMs)
      .filter(({ atMs }) => atMs >= (since ?? 0) && atMs <= (until ?? Infinity));
  };
  const output = values.get("o") ?? values.get("output") ?? "short";
  const print = (lines: readonly JournalLine[]) => {
    for (const line of lines) out(`${output === "cat" ? line.text : journalText(process, line)}\n`);
  };
  const lines = yield* read();
  const follows = flags.has("f") || flags.has("follow");
  const count = values.get("n") ?? values.get("lines") ?? (follows || flags.has("n") ? "10" : undefined);
  const newest =
    count === undefined || count === "all" ? lines : lines.slice(Math.max(0, lines.length - Number(count)));
  if (newest.length === 0) out("-- No entries --\n");
  print(flags.has("r") || flags.has("reverse") ? newest.toReversed() : newest);
  if (!follows) return 0;
  for (let shownMs = process.clockMs; !process.paused; ) {
    yield* sleep(process, followMs);
    const more = (yield* read()).filter(({ atMs }) => atMs > shownMs && atMs < process.clockMs);
    print(more);
    shownMs = process.clockMs;
  }
  return 0;
}

/** Gives options with a value, after a blank, their `=`. */
function separated(args: readonly string[]): string[] {
  const joined: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    const takesNext = /^--(unit|lines|output|since|until)$/.test(arg) && args[at + 1] !== undefined;
    joined.push(takesNext ? `${arg}=${args[++at] ?? ""}` : arg);
  }
  return joined;
}

function timeOf(text: string | undefined, nowMs: number): number | "invalid" | undefined {
  if (text === undefined) return undefined;
  if (text === "now") return nowMs;
  if (text === "today") return nowMs - (nowMs % 86_400_000);
  if (text === "yesterday") return nowMs - (nowMs % 86_400_000) - 86_400_000;
  const [, sign, count, unit] = /^(-?)(\d+)\s*(s|sec|second|m|min|minute|h|hour|d|day)s?( ago)?$/.exec(text) ?? [];
  if (count !== undefined && unit !== undefined && (sign === "-" || text.endsWith("ago"))) {
    const ms = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }[unit.charAt(0)] ?? 0;
    return nowMs - Number(count) * ms;
  }
  const parsed = Date.parse(`${text.replace(" ", "T")}${text.includes(":") ? "Z" : ""}`);
  return Number.isNaN(parsed) ? "invalid" : parsed;
}
