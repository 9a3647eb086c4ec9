// Sends the best score of each learner to the platform that launched the run, through the tenant's Durable Object.
import type { Score } from "../../lti/score.ts";
import type { ControlApiServer } from "../control-api/server.ts";
import type { LessonRunRow } from "../db/lesson-tables.ts";
import type { LtiLearnerRow, LtiPlatformRow } from "../db/lti-tables.ts";
import { signingKey } from "./tool-keys.ts";

/** Sends the score after the response, if a launch started the run and it is the learner's best run. */
export function sendGrade(controlApi: ControlApiServer, now: LessonRunRow, before: LessonRunRow): void {
  if (now.points <= before.points && now.isFinished === before.isFinished) return;
  controlApi.later(() => noteGrade(controlApi, now), `the score of the run ${now.id}`);
}

async function noteGrade(controlApi: ControlApiServer, run: LessonRunRow): Promise<void> {
  const { points, maxPoints, isFinished } = run;
  const learner = await controlApi.lti.learnerOfRun(run.id);
  if (!learner || !(await controlApi.lti.noteScore(learner, { points, maxPoints, isFinished }))) return;
  const platform = await controlApi.lti.findPlatform(learner.tenantId, learner.platformId);
  if (platform) await sendBest(controlApi, platform, { ...learner, points, maxPoints, isFinished });
}

/** Does nothing if there is no score, no line item, or if the same score was sent already. */
export async function sendBest(
  controlApi: ControlApiServer,
  platform: LtiPlatformRow,
  learner: LtiLearnerRow,
): Promise<void> {
  const { points, maxPoints, isFinished, lineItem, lineItems, link, lesson, title, userId, isCanvas } = learner;
  if (maxPoints === 0 || (lineItem === "" && lineItems === "")) return;
  const { clientId, tokenUrl, audience } = platform;
  const score: Score = {
    client: { clientId, tokenUrl, audience },
    key: await signingKey(controlApi, learner.tenantId),
    lineItem,
    lineItems,
    resourceLinkId: link,
    lesson,
    title,
    userId,
    points,
    maxPoints,
    isFinished,
    comment: `${points} of ${maxPoints} points${isFinished ? ", and all steps done" : " so far"}`,
    isCanvas,
  };
  const mark = JSON.stringify([lesson, points, maxPoints, isFinished]);
  const subject = JSON.stringify([link, userId]);
  await controlApi.tenant(learner.tenantId).sendScore(platform.id, { subject, mark, score: JSON.stringify(score) });
}
