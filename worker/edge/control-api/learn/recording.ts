// The record of a learner's terminal, and the teacher's help in it, which needs the learner's consent.
import type * as z from "zod";
import { classLimits, recordingLimits } from "../../../../shared/base/lesson-limits.ts";
import type {
  CommandList,
  commandsQuery,
  consentToHelp,
  helpLearner,
  recordCommands,
  sendMessage,
} from "../../../../shared/contract/hosted/teaching.ts";
import type { Run } from "../../../../shared/contract/lesson.ts";
import type { LedRuns } from "../../db/learn/teaching.ts";
import { randomText } from "../../mac.ts";
import { audited } from "../access/audit.ts";
import { invalidField } from "../body.ts";
import { ControlError } from "../control-error.ts";
import { findActiveRun, findRun } from "../lesson-runs.ts";
import { lessonNamed } from "../lessons.ts";
import type { ControlApiServer } from "../server.ts";
import { describeRun } from "./describe-run.ts";
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

/** Stores lines of the learner's own terminal. Their times are moved so that the newest one ended now, because browsers' clocks differ. */
export async function record(
  controlApi: ControlApiServer,
  place: RunPlace,
  { commands }: z.output<typeof recordCommands>,
): Promise<void> {
  const newestMs = Math.max(...commands.map(({ at, tookMs }) => Date.parse(at) + tookMs));
  const aheadMs = controlApi.nowMs() - newestMs;
  const rows = commands.map(({ at, ...command }) => ({ ...command, atMs: Date.parse(at) + aheadMs }));
  await controlApi.teaching.addCommands(place.run, rows);
}

export async function listCommands(
  controlApi: ControlApiServer,
  place: RunPlace,
  { after = 0 }: z.output<typeof commandsQuery>,
): Promise<CommandList> {
  const { row } = await findRun(controlApi, place);
  const rows = await controlApi.teaching.listCommands(row.id, after, recordingLimits.page + 1);
  const commands = rows.slice(0, recordingLimits.page).map(({ runId: _, atMs, ...command }) => {
    return { ...command, at: new Date(atMs).toISOString() };
  });
  return { commands, hasMore: rows.length > recordingLimits.page };
}

/** Asks the learner for consent, sends a line to the learner's terminal, or leaves it. */
export async function help(
  controlApi: ControlApiServer,
  place: RunPlace,
  { state, line }: z.output<typeof helpLearner>,
): Promise<Run> {
  const run = await findActiveRun(controlApi, place);
  const { row } = run;
  if (line !== undefined && row.help.state !== "joined")
    throw new ControlError(409, "consent_missing", "the learner has not allowed you to join the terminal");
  if (line !== undefined && state !== undefined) throw invalidField("line", "must be absent with a state");
  if (line !== undefined && row.help.lines.length >= recordingLimits.helpLines)
    throw new ControlError(409, "busy", "the learner's page has not run the earlier lines yet");
  const lines = line === undefined ? [] : [...row.help.lines, { id: randomText(idLength), text: line }];
  // A learner who has consented need not be asked again.
  const isJoined = row.help.state === "joined" && state !== "none";
  const next = { state: isJoined ? ("joined" as const) : (state ?? "none"), lines };
  return audited(controlApi, row.id, async () => {
    await controlApi.teaching.setHelp(row.id, next);
    return describeRun(controlApi, { ...run, row: { ...row, help: next } }, controlApi.nowMs());
  });
}

/** Stores the learner's consent, or its end. The lines that were sent before are taken. */
export async function consent(
  controlApi: ControlApiServer,
  place: RunPlace,
  { joined }: z.output<typeof consentToHelp>,
): Promise<Run> {
  const run = await findActiveRun(controlApi, place);
  const { row } = run;
  if (joined && row.help.state === "none")
    throw new ControlError(409, "consent_missing", "the teacher does not ask to join the terminal");
  const next = { state: joined ? ("joined" as const) : ("none" as const), lines: [] };
  await controlApi.teaching.setHelp(row.id, next);
  return describeRun(controlApi, { ...run, row: { ...row, help: next } }, controlApi.nowMs());
}
