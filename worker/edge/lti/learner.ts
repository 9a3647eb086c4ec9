// A learner's launch: the run of the lesson goes on, or one begins.
import { ltiLimits } from "../../../shared/base/lti-limits.ts";
import { type Launch, LaunchRefused } from "../../lti/id-token.ts";
import { startRun } from "../control-api/lesson-runs.ts";
import { lessonNamed } from "../control-api/lessons.ts";
import { deleteSandbox } from "../control-api/sandboxes.ts";
import type { ControlApiServer } from "../control-api/service.ts";
import type { LearnerPlace } from "../db/lti.ts";
import type { LtiLearnerRow, LtiPlatformRow } from "../db/lti-tables.ts";
import { seal, unseal } from "../sealed.ts";
import { sendBest } from "./grades.ts";
import { learnersPage } from "./landing.ts";

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
  const none = { run: "", token: "", points: 0, maxPoints: 0, isFinished: false, launchedAtMs: service.nowMs() };
  if (!(await service.lti.noteLearner({ ...told, ...none }, ltiLimits.learners))) {
    throw new LaunchRefused(`There are ${ltiLimits.learners} learners, which is the most: ask who runs the course.`);
  }
  const learner = await service.lti.findLearner(place);
  if (!learner) throw new LaunchRefused("The platform is not registered here any more.");
  // One that was given up is tried again.
  service.later(() => sendBest(service, platform, learner), "a learner's score");
  const begun = (await resumed(service, learner)) ?? (await started(service, tenantId, place, learner));
  return learnersPage(service, { ...begun, lesson: said.lesson, frames: said.frames });
}

interface Begun {
  readonly run: string;
  readonly sandboxId: string;
  readonly token: string;
}

/** The run that there is, unless its time is up. */
async function resumed(
  service: ControlApiServer,
  { run, token, tenantId, lesson }: LtiLearnerRow,
): Promise<Begun | undefined> {
  const row = run === "" ? undefined : await service.lessons.findRun(tenantId, lesson, run);
  if (!row || row.expiresAtMs <= service.nowMs()) return undefined;
  return { run, sandboxId: row.sandboxId, token: await unseal(service.secret, contextOf(run), token) };
}

async function started(
  service: ControlApiServer,
  tenantId: string,
  place: LearnerPlace,
  before: LtiLearnerRow,
): Promise<Begun> {
  const learner = before.name || before.userId;
  const made = await startRun(service, tenantId, before.lesson, { learner });
  const token = made.tokens[0]?.token ?? "";
  const to = { run: made.run, token: await seal(service.secret, contextOf(made.run), token) };
  if (await service.lti.setRun(place, before.run, to)) return { run: made.run, sandboxId: made.sandbox.id, token };
  // Another launch of the same learner was quicker: its run counts.
  await deleteSandbox(service, tenantId, made.sandbox.id);
  const now = await service.lti.findLearner(place);
  const other = now && (await resumed(service, now));
  if (!other) throw new LaunchRefused("The lesson was opened twice at once: open it again.");
  return other;
}

function contextOf(run: string): string {
  return `lti run ${run}`;
}
