// The teacher's help in a learner's terminal as its row stores it. Older rows lack some fields.
import type { LessonRunRow, StoredHelp, StoredHelpLine } from "../../db/lesson-tables.ts";

/** The help of a run with all fields, which older rows lack. */
export interface Help {
  readonly state: StoredHelp["state"];
  /** The terminal whose user consented, or empty. */
  readonly terminal: string;
  readonly lines: readonly Required<StoredHelpLine>[];
  /** The number of the newest line. */
  readonly seq: number;
}

export function helpOf({ help }: Pick<LessonRunRow, "help">): Help {
  const lines = help.lines.map((line, at) => ({ ...line, seq: line.seq ?? at + 1 }));
  return { state: help.state, terminal: help.terminal ?? "", lines, seq: help.seq ?? lines.at(-1)?.seq ?? 0 };
}
