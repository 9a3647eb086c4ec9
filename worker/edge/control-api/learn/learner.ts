// Learners: the token of a run, the URL of its page, and authentication by the token.
import type { Secret } from "../../../../shared/base/secret.ts";
import { isTag, tag } from "../../mac.ts";
import { frameParameter } from "../../frame-policy.ts";
import type { ControlApiServer } from "../server.ts";
import { type Caller, nobody } from "../access/caller.ts";

const prefix = "sbl_";
const tagLength = 51;
const tokenShape = /^bearer +sbl_(run[a-z2-7]{20})_([a-z2-7]{51}) *$/i;

export const runIdShape = /^run[a-z2-7]{20}$/;

/** Derives the token of a run, so that it can be returned again. It grants access to one run and nothing else. */
async function learnerToken(secret: Secret, run: string): Promise<string> {
  return `${prefix}${run}_${await tag(secret, "learner", run, tagLength)}`;
}

/** Returns the URL of the learner's page. Pages of `origins` can show it in a frame. */
export async function learnerUrl(
  { secret, console }: Pick<ControlApiServer, "secret" | "console">,
  run: string,
  frameOrigins: readonly string[],
): Promise<string> {
  const frame = frameOrigins.length > 0 ? `?frame=${await frameParameter(secret, run, frameOrigins)}` : "";
  return `${console}/learn/${run}${frame}#${await learnerToken(secret, run)}`;
}

/** Derives the token of a user of the lesson. It changes with the version of the sandbox's own token. */
export function userTokenText(secret: Secret, run: string, user: string, version: number): Promise<string> {
  return tag(secret, "learner-user", version === 0 ? `${run}:${user}` : `${run}:${user}:${version}`, 16);
}

/** Returns undefined if the token is invalid, or its run was deleted. */
export async function findLearner(
  controlApi: ControlApiServer,
  { headers }: Pick<Request, "headers">,
): Promise<Caller | undefined> {
  const [, run = "", mac = ""] = tokenShape.exec(headers.get("authorization") ?? "") ?? [];
  if (run === "" || !(await isTag(controlApi.secret, "learner", run, mac, tagLength))) return undefined;
  const place = await controlApi.lessons.placeOfRun(run);
  if (!place) return undefined;
  const { tenantId, lesson } = place;
  return { ...nobody, tenantId, run: { tenantId, lesson, run } };
}
