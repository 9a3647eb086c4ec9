// A learner's launch: resumes the learner's run of the lesson, or starts one.
import { ltiLimits } from "../../../shared/base/lti-limits.ts";
import { createRun } from "../../../shared/contract/lesson.ts";
import { type Launch, LaunchRefused } from "../../lti/id-token.ts";
import { learnerUrl } from "../control-api/learn/learner.ts";
import { removeSandboxes } from "../control-api/learn/run-clusters.ts";
import { startRun } from "../control-api/lesson-runs.ts";
import { lessonNamed } from "../control-api/lessons.ts";
import type { ControlApiServer } from "../control-api/server.ts";
import type { LessonRunRow } from "../db/lesson-tables.ts";
import type { LtiLearnerRow, LtiPlatformRow } from "../db/lti-tables.ts";
import { sendBest } from "./grades.ts";

export type Learning = Pick<Launch, "userId" | "name" | "resourceLinkId" | "lineItem" | "lineItems" | "isCanvas"> & {
  readonly lesson: string;
  readonly frames: readonly string[];
};

/** Returns the URL of the learner's page. */
export async function learn(
  controlApi: ControlApiServer,
  platform: LtiPlatformRow,
  launchOfLearner: Learning,
): Promise<string> {
  const { tenantId } = platform;
  const { facts } = await lessonNamed(controlApi, tenantId, launchOfLearner.lesson);
  const place = { platformId: platform.id, link: launchOfLearner.resourceLinkId, userId: launchOfLearner.userId };
  const { lesson, name, lineItem, lineItems, isCanvas } = launchOfLearner;
  const learnerFacts = { ...place, tenantId, lesson, title: facts.title, name, lineItem, lineItems, isCanvas };
  const none = { run: "", points: 0, maxPoints: 0, isFinished: false, launchedAtMs: controlApi.nowMs() };
  if (!(await controlApi.lti.noteLearner({ ...learnerFacts, ...none }, ltiLimits.learners))) {
    throw new LaunchRefused("No more learners can come to lessons from here: ask who runs the course.");
  }
  const learner = await controlApi.lti.findLearner(place);
  if (!learner) throw new LaunchRefused("The platform is not registered here any more.");
  // Retries a score whose delivery was given up.
  controlApi.later(() => sendBest(controlApi, platform, learner), "a learner's score");
  const { id } = (await liveRunOf(controlApi, learner)) ?? (await started(controlApi, learner));
  return learnerUrl(controlApi, id, launchOfLearner.frames);
}

/** Returns the learner's run, or undefined if it has expired. An exam stays, so that a learner who returns sees the result. */
async function liveRunOf(
  controlApi: ControlApiServer,
  { run, tenantId, lesson }: LtiLearnerRow,
): Promise<LessonRunRow | undefined> {
  const row = run === "" ? undefined : await controlApi.lessons.findRun(tenantId, lesson, run);
  return row && (row.isExam || row.expiresAtMs > controlApi.nowMs()) ? row : undefined;
}

async function started(controlApi: ControlApiServer, learner: LtiLearnerRow): Promise<LessonRunRow> {
  const { tenantId, lesson, name, userId, run: before } = learner;
  const { run, sandbox, clusters } = await startRun(
    controlApi,
    tenantId,
    lesson,
    createRun.parse({ learner: name || userId }),
  );
  const isOurs = await controlApi.lti.setRun(learner, before, run);
  // A concurrent launch of the same learner was first, and its run counts.
  if (!isOurs)
    await removeSandboxes(controlApi, tenantId, clusters?.map((cluster) => cluster.sandbox.id) ?? [sandbox.id]);
  const now = await controlApi.lti.findLearner(learner);
  const row = now && (await liveRunOf(controlApi, now));
  if (!row) throw new LaunchRefused("The lesson was opened twice at once: open it again.");
  return row;
}
