// Tokens of the users of a lesson in the sandbox of a run. They are derived from the run, so they can be returned again.
import type { OwnAccess } from "../../../../shared/contract/lesson.ts";
import type { Lesson } from "../../../../shared/lesson/lesson.ts";
import { serverOfSandbox } from "../../address.ts";
import type { LessonRunRow } from "../../db/lesson-tables.ts";
import { newUserToken, type TokenFacts, valueForSandbox } from "../../tokens.ts";
import { kubeconfig } from "../kubeconfig.ts";
import { storeToken } from "../sandbox-tokens.ts";
import { expiredError } from "../sandboxes.ts";
import type { ControlApiServer } from "../server.ts";
import { accessEndMs } from "./exam-view.ts";
import { userTokenText } from "./learner.ts";

type Tokens = OwnAccess["tokens"];
export type RunFacts = Pick<
  LessonRunRow,
  "id" | "tenantId" | "lesson" | "sandboxId" | "expiresAtMs" | "createdAtMs" | "tokensEndMs"
>;

/** Registers the tokens in the sandbox. If a token is registered already, only the user's groups change. */
export async function giveTokens(
  controlApi: ControlApiServer,
  row: RunFacts,
  lesson: Lesson,
  sandbox?: TokenFacts,
): Promise<Tokens> {
  const tokens = await (sandbox ? tokensIn(controlApi, row, lesson, sandbox) : tokensOf(controlApi, row, lesson));
  for (const [at, { user, token }] of tokens.entries()) {
    const groups = lesson.users[at]?.groups ?? [];
    const expiresAtMs = endMs(row, lesson);
    const of = { user, groups, expiresAtMs, readOnly: false, frameOrigins: [] };
    await storeToken(controlApi, row.sandboxId, token, of);
  }
  return tokens;
}

export async function tokensOf(controlApi: ControlApiServer, row: RunFacts, lesson: Lesson): Promise<Tokens> {
  const sandbox = await controlApi.directory.find(row.tenantId, row.sandboxId);
  if (!sandbox) throw expiredError();
  return tokensIn(controlApi, row, lesson, sandbox);
}

/** Derives the tokens from facts of the sandbox, which may predate a rotation. */
export async function tokensIn(
  controlApi: ControlApiServer,
  row: RunFacts,
  document: Lesson,
  sandbox: TokenFacts,
): Promise<Tokens> {
  const { ca } = controlApi;
  const { id, lesson: name, sandboxId } = row;
  const secret = await valueForSandbox(controlApi.secret, sandbox);
  const server = serverOfSandbox(controlApi, sandboxId);
  const tokens: Tokens = [];
  for (const { name: user } of document.users) {
    const token = await newUserToken(
      secret,
      sandboxId,
      endMs(row, document),
      await userTokenText(secret, id, user, sandbox.tokenVersion),
    );
    tokens.push({ user, token, kubeconfig: kubeconfig({ name, server, token, ca }) });
  }
  return tokens;
}

/** Rounds down to seconds, the unit of the token's expiry. */
function endMs(row: RunFacts, lesson: Lesson): number {
  const endsMs = lesson.exam ? accessEndMs(row, lesson) : row.tokensEndMs || row.expiresAtMs;
  return Math.floor(endsMs / 1000) * 1000;
}
