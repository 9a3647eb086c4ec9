// A learner's launch: the run of the lesson goes on, or one begins.
import { ltiLimits } from "../../../shared/base/lti-limits.ts";
import { createRun } from "../../../shared/contract/lesson.ts";
import { type Launch, LaunchRefused } from "../../lti/id-token.ts";
import { learnerUrl } from "../control-api/learn/learner.ts";
import { startRun } from "../control-api/lesson-runs.ts";
import { lessonNamed } from "../control-api/lessons.ts";
import { deleteSandbox } from "../control-api/sandboxes.ts";
import type { ControlApiServer } from "../control-api/service.ts";
import type { LessonRunRow } from "../db/lesson-tables.ts";
import type { LtiLearnerRow, LtiPlatformRow } from "../db/lti-tables.ts";
import { sendBest } from "./grades.ts";

export type Learning = Pick<Launch, "userId" | "name" | "resourceLinkId" | "lineItem" | "lineItems" | "isCanvas"> & {
  readonly lesson: string;
  readonly frames: readonly string[];
};

/** The address of the learner's page. */
export async function learn(service: ControlApiServer, platform: LtiPlatformRow, said: Learning): Promise<string> {
  const { tenantId } = platform;
  const { facts } = await lessonNamed(service, tenantId, said.lesson);
  const place = { platformId: platform.id, link: said.resourceLinkId, userId: said.userId };
  const { lesson, name, lineItem, lineItems, isCanvas } = said;
  const told = { ...place, tenantId, lesson, title: facts.title, name, lineItem, lineItems, isCanvas };
  const none = { run: "", points: 0, maxPoints: 0, isFinished: false, launchedAtMs: service.nowMs() };
  if (!(await service.lti.noteLearner({ ...told, ...none }, ltiLimits.learners))) {
    throw new LaunchRefused("No more learners can come to lessons from here: ask who runs the course.");
  }
  const learner = await service.lti.findLearner(place);
  if (!learner) throw new LaunchRefused("The platform is not registered here any more.");
  // One that was given up is tried again.
  service.later(() => sendBest(service, platform, learner), "a learner's score");
  const { id } = (await resumed(service, learner)) ?? (await started(service, learner));
  return learnerUrl(service, id, said.frames);
}

/** The run that there is, unless its time is up. */
async function resumed(
  service: ControlApiServer,
  { run, tenantId, lesson }: LtiLearnerRow,
): Promise<LessonRunRow | undefined> {
  const row = run === "" ? undefined : await service.lessons.findRun(tenantId, lesson, run);
  return row && row.expiresAtMs > service.nowMs() ? row : undefined;
}

async function started(service: ControlApiServer, learner: LtiLearnerRow): Promise<LessonRunRow> {
  const { tenantId, lesson, name, userId, run: before } = learner;
  const { run, sandbox } = await startRun(service, tenantId, lesson, createRun.parse({ learner: name || userId }));
  const isOurs = await service.lti.setRun(learner, before, run);
  // Another launch of the same learner was quicker: its run counts.
  if (!isOurs) await deleteSandbox(service, tenantId, sandbox.id);
  const now = await service.lti.findLearner(learner);
  const row = now && (await resumed(service, now));
  if (!row) throw new LaunchRefused("The lesson was opened twice at once: open it again.");
  return row;
}
