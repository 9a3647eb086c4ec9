// What a visitor of somebody's page does in his sandbox over the control API: set it back, have a step of a lesson graded, answer.
import type { EmbedReset } from "../../../../shared/contract/hosted/embed.ts";
import type { Run } from "../../../../shared/contract/lesson.ts";
import { invalidField } from "../body.ts";
import type { RunPlace } from "../learn/run-place.ts";
import { answerRun, checkRun, restartStep } from "../lesson-runs.ts";
import { resetSandbox } from "../reset.ts";
import type { ControlApiServer } from "../service.ts";
import { sessionOf } from "./sessions.ts";

export async function resetVisitor(service: ControlApiServer, session: string): Promise<EmbedReset> {
  const { row, run } = await sessionOf(service, session);
  if (run) return { run: await restartStep(service, run) };
  await resetSandbox(service, row.tenantId, row.id);
  return {};
}

export async function checkVisitor(service: ControlApiServer, session: string): Promise<Run> {
  return checkRun(service, await lessonOf(service, session), {});
}

export async function answerVisitor(service: ControlApiServer, session: string, answer: string): Promise<Run> {
  return answerRun(service, await lessonOf(service, session), answer);
}

async function lessonOf(service: ControlApiServer, session: string): Promise<RunPlace> {
  const { run } = await sessionOf(service, session);
  if (!run) throw invalidField("session", "is not of a lesson");
  return run;
}
