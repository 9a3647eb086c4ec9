// The teacher's help in a learner's terminal. The teacher's lines run in the terminal whose user consented, each at most once: the terminal
// takes a line before it runs it. A change is refused if another request changed the help meanwhile.
import type * as z from "zod";
import { recordingLimits } from "../../../../shared/base/lesson-limits.ts";
import type { consentToHelp, helpLearner, takeHelpLines } from "../../../../shared/contract/hosted/teaching.ts";
import type { Run } from "../../../../shared/contract/lesson.ts";
import type { StoredHelpLine } from "../../db/lesson-tables.ts";
import { randomText } from "../../mac.ts";
import { audited } from "../access/audit.ts";
import { invalidField } from "../body.ts";
import { ControlError } from "../control-error.ts";
import { findActiveRun, type FoundRun } from "../lesson-runs.ts";
import type { ControlApiServer } from "../server.ts";
import { describeRun } from "./describe-run.ts";
import type { RunPlace } from "./run-place.ts";
import { type Help, helpOf } from "./stored-help.ts";

const idLength = 10;

/** The attempts to change the help of a run that others change at the same time. */
const attempts = 8;

/** Asks the learner for consent, sends a line or an interrupt to the learner's terminal, or leaves it. */
export async function help(
  controlApi: ControlApiServer,
  place: RunPlace,
  { state, line, interrupt }: z.output<typeof helpLearner>,
): Promise<Run> {
  const text = interrupt ? "" : line;
  if (interrupt && line !== undefined) throw invalidField("line", "must be absent with an interrupt");
  if (text !== undefined && state !== undefined) throw invalidField("line", "must be absent with a state");
  const run = await findActiveRun(controlApi, place);
  const id = randomText(idLength);
  return audited(controlApi, run.row.id, () =>
    changeHelp(controlApi, run, place, (before) => {
      if (text !== undefined) return withLine(before, { id, text });
      if (state === "none") return left(before);
      // A learner who has consented need not be asked again.
      return before.state === "joined" ? before : { ...before, state: state ?? "none", lines: [] };
    }),
  );
}

/** Stores the learner's consent for a terminal, or its end. Lines that wait run in the terminal with the newest consent. */
export async function consent(
  controlApi: ControlApiServer,
  place: RunPlace,
  { joined, terminal = "" }: z.output<typeof consentToHelp>,
): Promise<Run> {
  return changeHelp(controlApi, await findActiveRun(controlApi, place), place, (before) => {
    if (!joined) return left(before);
    if (before.state === "none") throw consentMissing("the teacher does not ask to join the terminal");
    return { ...before, state: "joined", terminal };
  });
}

/**
 * Removes the lines up to a number for the terminal that runs them next. A repeated request changes nothing, so a page whose connection broke
 * can repeat it. Lines that were sent after the number stay.
 */
export async function takeLines(
  controlApi: ControlApiServer,
  place: RunPlace,
  { terminal, upTo }: z.output<typeof takeHelpLines>,
): Promise<Run> {
  return changeHelp(controlApi, await findActiveRun(controlApi, place), place, (before) => {
    if (before.state !== "joined" || before.terminal !== terminal)
      throw consentMissing("the consent is that of another terminal, or has ended");
    if (upTo > before.seq) throw invalidField("upTo", `must be at most ${before.seq}, the number of the newest line`);
    return { ...before, lines: before.lines.filter(({ seq }) => seq > upTo) };
  });
}

function withLine(before: Help, line: Pick<StoredHelpLine, "id" | "text">): Help {
  if (before.state !== "joined") throw consentMissing("the learner has not allowed you to join the terminal");
  if (before.lines.length >= recordingLimits.helpLines)
    throw new ControlError(409, "busy", "the learner's page has not run the earlier lines yet");
  const seq = before.seq + 1;
  return { ...before, lines: [...before.lines, { ...line, seq }], seq };
}

/** Ends the help. The numbers of lines go on, so that a line of an earlier help never has the number of a later one. */
function left({ seq }: Help): Help {
  return { state: "none", terminal: "", lines: [], seq };
}

function consentMissing(message: string): ControlError {
  return new ControlError(409, "consent_missing", message);
}

/** Changes the help by compare-and-set. `change` receives the newest help. */
async function changeHelp(
  controlApi: ControlApiServer,
  run: FoundRun,
  place: RunPlace,
  change: (before: Help) => Help,
): Promise<Run> {
  let newest = run;
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const next = change(helpOf(newest.row));
    if (await controlApi.teaching.setHelp(newest.row, next))
      return describeRun(controlApi, { ...newest, row: { ...newest.row, help: next } }, controlApi.nowMs());
    newest = await findActiveRun(controlApi, place);
  }
  throw new ControlError(409, "busy", "concurrent requests changed the help; try again");
}
