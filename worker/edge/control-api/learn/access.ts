// Tokens of the users of a lesson in the sandboxes of a run. They are derived from the run, so they can be returned again. The cluster knows
// until when a token is valid; the end in its text is later, so that extra time needs no new token.
import { must } from "../../../../shared/base/assert.ts";
import { tokenIdLength } from "../../../../shared/contract/cluster-object.ts";
import type { OwnAccess } from "../../../../shared/contract/lesson.ts";
import type { Lesson } from "../../../../shared/lesson/lesson.ts";
import { serverOfSandbox } from "../../address.ts";
import type { LessonRunRow } from "../../db/lesson-tables.ts";
import { hashOf } from "../../mac.ts";
import { newUserToken, type TokenFacts, valueForSandbox } from "../../tokens.ts";
import { kubeconfig } from "../kubeconfig.ts";
import { storeToken } from "../sandbox-tokens.ts";
import { expiredError } from "../sandboxes.ts";
import type { ControlApiServer } from "../server.ts";
import { accessEndMs } from "./exam-view.ts";
import { userTokenText } from "./learner.ts";
import { clustersOfRun } from "./run-clusters.ts";

type ClusterTokens = NonNullable<OwnAccess["clusters"]>[number]["tokens"];
type RunFacts = Pick<
  LessonRunRow,
  | "id"
  | "tenantId"
  | "lesson"
  | "sandboxId"
  | "clusters"
  | "stepRevision"
  | "expiresAtMs"
  | "tokensEndMs"
  | "isExam"
  | "isFinished"
>;
/** The facts of a sandbox from which tokens are derived. */
export type SandboxFacts = TokenFacts & { readonly id: string };

/** Registers the tokens in each sandbox of a run. If a token is registered already, only its groups and its end change. */
export async function giveTokens(controlApi: ControlApiServer, row: RunFacts, lesson: Lesson): Promise<void> {
  for (const { sandboxId } of clustersOfRun(row))
    await giveTokensIn(controlApi, row, lesson, await sandboxOf(controlApi, row, sandboxId));
}

/** Registers the tokens in one sandbox, whose facts may predate a rotation. A graded exam has none. */
export async function giveTokensIn(
  controlApi: ControlApiServer,
  row: RunFacts,
  lesson: Lesson,
  sandbox: SandboxFacts,
): Promise<void> {
  if (row.isExam && row.isFinished) return;
  const tokens = await tokensIn(controlApi, row, lesson, sandbox);
  const expiresAtMs = row.isExam ? wholeSeconds(accessEndMs(row)) : textEndMs(row);
  for (const [at, { user, token }] of tokens.entries()) {
    const groups = lesson.users[at]?.groups ?? [];
    await storeToken(controlApi, sandbox.id, token, { user, groups, expiresAtMs, readOnly: false, frameOrigins: [] });
  }
}

/** Revokes the tokens of a run, which ends the learner's open connections. */
export async function endAccess(controlApi: ControlApiServer, row: RunFacts, lesson: Lesson): Promise<void> {
  for (const { sandboxId } of clustersOfRun(row)) {
    const sandbox = await controlApi.directory.find(row.tenantId, sandboxId);
    if (!sandbox) continue;
    for (const { token } of await tokensIn(controlApi, row, lesson, sandbox))
      await controlApi.cluster(sandboxId).removeToken((await hashOf(token)).slice(0, tokenIdLength));
  }
}

/** Returns the learner's access to the clusters of a run. */
export async function accessTo(controlApi: ControlApiServer, row: RunFacts, lesson: Lesson): Promise<OwnAccess> {
  const clusters = await Promise.all(
    clustersOfRun(row).map(async ({ name, sandboxId }) => ({
      name: name || row.lesson,
      sandbox: { id: sandboxId, server: serverOfSandbox(controlApi, sandboxId) },
      tokens: await tokensIn(controlApi, row, lesson, await sandboxOf(controlApi, row, sandboxId)),
    })),
  );
  const tokens = lesson.users.map(({ name: user }, at) => {
    const contexts = clusters.map(({ name, sandbox: { server }, tokens: all }) => {
      return { name, server, token: must(all[at], "a user's token").token };
    });
    return { user, token: must(contexts[0], "a cluster").token, kubeconfig: kubeconfig(contexts, controlApi.ca) };
  });
  const { sandbox } = must(clusters[0], "a cluster");
  return { sandbox, tokens, ...(row.clusters.length > 0 ? { clusters } : {}) };
}

async function sandboxOf({ directory }: ControlApiServer, { tenantId }: RunFacts, id: string): Promise<SandboxFacts> {
  const sandbox = await directory.find(tenantId, id);
  if (!sandbox) throw expiredError();
  return sandbox;
}

/** Derives the tokens of a sandbox. */
export async function tokensIn(
  controlApi: ControlApiServer,
  row: RunFacts,
  { users }: Lesson,
  sandbox: SandboxFacts,
): Promise<ClusterTokens> {
  const secret = await valueForSandbox(controlApi.secret, sandbox);
  const tokens: ClusterTokens = [];
  for (const { name: user } of users) {
    const text = await userTokenText(secret, row.id, user, sandbox.tokenVersion);
    tokens.push({ user, token: await newUserToken(secret, sandbox.id, textEndMs(row), text) });
  }
  return tokens;
}

/** Returns the end in the text of the tokens. */
function textEndMs({ tokensEndMs, expiresAtMs }: RunFacts): number {
  return wholeSeconds(tokensEndMs || expiresAtMs);
}

/** Rounds down to seconds, the unit of the token's expiry. */
function wholeSeconds(ms: number): number {
  return Math.floor(ms / 1000) * 1000;
}
