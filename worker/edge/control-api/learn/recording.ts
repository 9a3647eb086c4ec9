// Messages to learners, and the record of a learner's terminal.
import type * as z from "zod";
import { classLimits, recordingLimits } from "../../../../shared/base/lesson-limits.ts";
import type {
  CommandList,
  commandsQuery,
  recordCommands,
  sendMessage,
} from "../../../../shared/contract/hosted/teaching.ts";
import type { LedRuns } from "../../db/learn/teaching.ts";
import type { RunCommandRow } from "../../db/lesson-tables.ts";
import { randomText } from "../../mac.ts";
import { ControlError } from "../control-error.ts";
import { findRun } from "../lesson-runs.ts";
import { lessonNamed } from "../lessons.ts";
import type { ControlApiServer } from "../server.ts";
import type { RunPlace } from "./run-place.ts";

const idLength = 10;

/** Shows a message on the pages of learners. Returns the number of runs. */
export async function message(
  controlApi: ControlApiServer,
  which: LedRuns,
  { text }: Pick<z.output<typeof sendMessage>, "text">,
) {
  await lessonNamed(controlApi, which.tenantId, which.lesson);
  const atMs = controlApi.nowMs();
  const note = { id: randomText(idLength), atMs, text };
  const runs = await controlApi.teaching.sendMessage(which, atMs, note, classLimits.messages);
  if (which.run !== undefined && runs === 0)
    throw new ControlError(404, "not_found", "there is no such run of the lesson, or its time is up");
  return { runs, failed: [] };
}

/** The stored exit code of a line that runs. */
const running = -1;

/** Stores entries of the learner's own terminal. Their times are moved so that the newest one ended now, because browsers' clocks differ. */
export async function record(
  controlApi: ControlApiServer,
  place: RunPlace,
  { page = "", commands }: z.output<typeof recordCommands>,
): Promise<void> {
  const newestMs = Math.max(...commands.map(({ at, tookMs }) => Date.parse(at) + tookMs));
  const aheadMs = controlApi.nowMs() - newestMs;
  const rows = commands.map(({ at, exitCode = running, seq = 0, number = 0, ...command }) => {
    return { ...command, atMs: Date.parse(at) + aheadMs, exitCode, page, pageSeq: seq, lineNumber: number };
  });
  await controlApi.teaching.addCommands(place.run, rows);
}

export async function listCommands(
  controlApi: ControlApiServer,
  place: RunPlace,
  { after = 0 }: z.output<typeof commandsQuery>,
): Promise<CommandList> {
  const { row } = await findRun(controlApi, place);
  const rows = await controlApi.teaching.listCommands(row.id, after, recordingLimits.page + 1);
  const size = await controlApi.teaching.sizeOfRecord(row.id);
  const isFull = size.seq >= recordingLimits.commands || size.characters >= recordingLimits.runCharacters;
  return {
    commands: rows.slice(0, recordingLimits.page).map(describe),
    hasMore: rows.length > recordingLimits.page,
    isFull,
  };
}

function describe({ seq, atMs, tookMs, line, output, exitCode, page, lineNumber }: RunCommandRow) {
  const ended = exitCode === running ? {} : { exitCode };
  return { seq, at: new Date(atMs).toISOString(), tookMs, line, output, ...ended, page, number: lineNumber };
}
