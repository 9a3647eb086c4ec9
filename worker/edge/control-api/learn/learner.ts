// Learners: the token that names a run, the page that it opens, and who asks with it.
import type { Secret } from "../../../../shared/base/secret.ts";
import { isTag, tag } from "../../mac.ts";
import { frameParameter } from "../../frame-policy.ts";
import type { ControlApiServer } from "../server.ts";
import { type Caller, nobody } from "../access/caller.ts";

const prefix = "sbl_";
const tagLength = 51;
const tokenShape = /^bearer +sbl_(run[a-z2-7]{20})_([a-z2-7]{51}) *$/i;

export const runIdShape = /^run[a-z2-7]{20}$/;

/** Derived, not stored: so it can be given again. It is good for one run and nothing else. */
async function learnerToken(secret: Secret, run: string): Promise<string> {
  return `${prefix}${run}_${await tag(secret, "learner", run, tagLength)}`;
}

/** Where a learner goes: the one place that says it. Pages of these origins may show it in a frame. */
export async function learnerUrl(
  { secret, console }: Pick<ControlApiServer, "secret" | "console">,
  run: string,
  frameOrigins: readonly string[],
): Promise<string> {
  const frame = frameOrigins.length > 0 ? `?frame=${await frameParameter(secret, run, frameOrigins)}` : "";
  return `${console}/learn/${run}${frame}#${await learnerToken(secret, run)}`;
}

/**
 * A token of a user of the lesson is the same whenever it is made: it is told again, and no other is stored. It changes with the version of
 * the sandbox's own token.
 */
export function userTokenText(secret: Secret, run: string, user: string, version: number): Promise<string> {
  return tag(secret, "learner-user", version === 0 ? `${run}:${user}` : `${run}:${user}:${version}`, 16);
}

/** Undefined where the token is not one of ours, or its run is forgotten. */
export async function findLearner(
  controlApi: ControlApiServer,
  { headers }: Pick<Request, "headers">,
): Promise<Caller | undefined> {
  const [, run = "", given = ""] = tokenShape.exec(headers.get("authorization") ?? "") ?? [];
  if (run === "" || !(await isTag(controlApi.secret, "learner", run, given, tagLength))) return undefined;
  const found = await controlApi.lessons.placeOfRun(run);
  if (!found) return undefined;
  const { tenantId, lesson } = found;
  return { ...nobody, tenantId, run: { tenantId, lesson, run } };
}
