// What the users of a lesson enter a run's sandbox with: tokens that follow from the run, so that they can be told again.
import type { OwnAccess } from "../../../../shared/contract/lesson.ts";
import type { Lesson } from "../../../../shared/lesson/lesson.ts";
import { serverOfSandbox } from "../../address.ts";
import type { LessonRunRow } from "../../db/lesson-tables.ts";
import { newUserToken } from "../../tokens.ts";
import { kubeconfig } from "../kubeconfig.ts";
import { storeToken } from "../sandbox-tokens.ts";
import type { ControlApiServer } from "../server.ts";
import { userTokenText } from "./learner.ts";

type Tokens = OwnAccess["tokens"];
type RunFacts = Pick<LessonRunRow, "id" | "lesson" | "sandboxId" | "expiresAtMs">;

/** Tells the sandbox of them; of one that it knows nothing changes but the user's groups. */
export async function giveTokens(controlApi: ControlApiServer, row: RunFacts, lesson: Lesson): Promise<Tokens> {
  const tokens = await tokensOf(controlApi, row, lesson);
  for (const [at, { user, token }] of tokens.entries()) {
    const groups = lesson.users[at]?.groups ?? [];
    const expiresAtMs = endMs(row);
    const of = { user, groups, expiresAtMs, readOnly: false, frameOrigins: [] };
    await storeToken(controlApi, row.sandboxId, token, of);
  }
  return tokens;
}

export async function tokensOf(controlApi: ControlApiServer, row: RunFacts, { users }: Lesson): Promise<Tokens> {
  const { secret, ca } = controlApi;
  const { id, lesson: name, sandboxId } = row;
  const server = serverOfSandbox(controlApi, sandboxId);
  const tokens: Tokens = [];
  for (const { name: user } of users) {
    const token = await newUserToken(secret, sandboxId, endMs(row), await userTokenText(secret, id, user));
    tokens.push({ user, token, kubeconfig: kubeconfig({ name, server, token, ca }) });
  }
  return tokens;
}

/** Whole seconds, as the token carries them. */
function endMs({ expiresAtMs }: RunFacts): number {
  return Math.floor(expiresAtMs / 1000) * 1000;
}
