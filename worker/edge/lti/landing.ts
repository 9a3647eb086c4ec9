// Where a learner's launch ends: the one place that knows the learner's page.
import { limits } from "../../../shared/base/limits.ts";
import { lessonNamed } from "../control-api/lessons.ts";
import { makeUserToken } from "../control-api/sandbox-tokens.ts";
import type { ControlApiServer } from "../control-api/service.ts";
import type { LessonRunRow } from "../db/lesson-tables.ts";
import { frameParameter } from "../frame-policy.ts";

/** `frames`: origins that may frame it. The token is in the fragment, which no server is sent. */
export async function learnersPage(
  service: ControlApiServer,
  { tenantId, lesson, version, sandboxId }: LessonRunRow,
  frames: readonly string[],
): Promise<string> {
  const { document } = await lessonNamed(service, tenantId, lesson, version);
  const { name: user = "learner", groups = [] } = document.users[0] ?? {};
  const asked = { ttlSeconds: limits.lessonMinutesMax * 60, user, groups, frameOrigins: [] };
  const { token } = await makeUserToken(service, tenantId, sandboxId, asked);
  return `${service.console}/view/${sandboxId}?frame=${await frameParameter(service.secret, sandboxId, frames)}#${token}`;
}
