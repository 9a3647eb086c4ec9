// Actions of an embedded page's visitor in the sandbox: reset it, grade a step of a lesson, answer a question.
import type { EmbedReset } from "../../../../shared/contract/hosted/embed.ts";
import type { Run } from "../../../../shared/contract/lesson.ts";
import { invalidField } from "../body.ts";
import type { RunPlace } from "../learn/run-place.ts";
import { answerRun, checkRun, restartStep } from "../lesson-runs.ts";
import { resetSandbox } from "../reset.ts";
import type { ControlApiServer } from "../server.ts";
import { sessionOf } from "./sessions.ts";

export async function resetVisitor(controlApi: ControlApiServer, session: string): Promise<EmbedReset> {
  const { row, run } = await sessionOf(controlApi, session);
  if (run) return { run: await restartStep(controlApi, run) };
  await resetSandbox(controlApi, row.tenantId, row.id);
  return {};
}

export async function checkVisitor(controlApi: ControlApiServer, session: string): Promise<Run> {
  return checkRun(controlApi, await lessonOf(controlApi, session), {});
}

export async function answerVisitor(controlApi: ControlApiServer, session: string, answer: string): Promise<Run> {
  return answerRun(controlApi, await lessonOf(controlApi, session), answer);
}

async function lessonOf(controlApi: ControlApiServer, session: string): Promise<RunPlace> {
  const { run } = await sessionOf(controlApi, session);
  if (!run) throw invalidField("session", "is not of a lesson");
  return run;
}
