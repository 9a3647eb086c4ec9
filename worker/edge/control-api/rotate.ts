// Rotates the tokens of a sandbox: replaces the administrator's token and ends the connections of the previous one.
import { currentSecret } from "../../../shared/base/secret.ts";
import type { SandboxWithToken } from "../../../shared/contract/sandbox.ts";
import type { Lesson } from "../../../shared/lesson/lesson.ts";
import type { LessonRunRow } from "../db/lesson-tables.ts";
import type { SecretColumns } from "../db/directory.ts";
import type { SandboxRow } from "../db/schema.ts";
import { hashOf } from "../mac.ts";
import { readSandboxId } from "../sandbox-id.ts";
import { currentAdminToken, idOfSecret } from "../tokens.ts";
import { audited, withoutAudit } from "./access/audit.ts";
import { ControlError } from "./control-error.ts";
import { giveTokensIn, tokensIn } from "./learn/access.ts";
import { lessonNamed } from "./lessons.ts";
import { expiredError, livingRow, unknownError, withToken } from "./sandboxes.ts";
import type { ControlApiServer } from "./server.ts";

/** The number of attempts to send the cluster the newest token while other requests rotate it too. */
const maxRounds = 5;

/** Returns the sandbox with its new token. `all` revokes every other token of the sandbox too. */
export async function rotateToken(
  controlApi: ControlApiServer,
  tenantId: string,
  id: string,
  { all }: { readonly all: boolean },
): Promise<SandboxWithToken> {
  const before = await livingRow(controlApi, tenantId, id);
  return audited(controlApi, id, async () => withToken(controlApi, await rotateWithoutAudit(controlApi, before, all)));
}

/** Rotates without an audit entry, but with the webhook event. */
export async function rotateWithoutAudit(
  controlApi: ControlApiServer,
  before: SandboxRow,
  all: boolean,
): Promise<SandboxRow> {
  const { tenantId, id } = before;
  const { directory, secret } = controlApi;
  // The learner of a lesson's run has a token of an administrator too, so it is revoked and replaced as well, even without `all`.
  const run = await activeRunIn(controlApi, before);
  const runTokens = run ? await tokensIn(controlApi, run.row, run.lesson, before) : [];
  const revokedHashes = await Promise.all(runTokens.map(({ token }) => hashOf(token)));
  let row = await directory.renewToken(tenantId, id, await currentSecretColumns(controlApi, before));
  // Update D1's row first. Concurrent requests may notify the cluster out of order, so each one rereads the row afterwards.
  for (let round = 0; row && round < maxRounds; round++) {
    const hash = await hashOf(await currentAdminToken(secret, row));
    if (!(await controlApi.cluster(id).renewTokens({ adminTokenHash: hash, revoke: all ? "all" : revokedHashes })))
      throw expiredError();
    if (run) await giveTokensIn(withoutAudit(controlApi), run.row, run.lesson, row);
    const latest = await directory.find(tenantId, id);
    if (latest?.tokenVersion === row.tokenVersion) {
      controlApi.later(() => controlApi.tenant(tenantId).recordRotation(id), "the event of a rotated token");
      return latest;
    }
    row = latest;
  }
  if (!row) throw unknownError();
  throw new ControlError(409, "busy", "the token is being rotated by other requests: ask again");
}

/**
 * Returns the columns that a sandbox has once its tokens are derived from the current secret. Whether strangers may read is signed into an
 * id with the secret of its time; the row takes it over, since an older secret may be removed.
 */
export async function currentSecretColumns(
  { secret }: Pick<ControlApiServer, "secret">,
  row: SandboxRow,
): Promise<SecretColumns> {
  const { anonymousAccess } = (await readSandboxId(secret, row.id)) ?? row;
  return { secretId: await idOfSecret(currentSecret(secret)), anonymousAccess };
}

/** Returns the lesson run that is active in a sandbox. */
export async function activeRunIn(
  controlApi: ControlApiServer,
  { tenantId, id }: SandboxRow,
): Promise<{ readonly row: LessonRunRow; readonly lesson: Lesson } | undefined> {
  const row = await controlApi.lessons.findRunOf(tenantId, id, controlApi.nowMs());
  if (!row || row.expiresAtMs <= controlApi.nowMs()) return undefined;
  return { row, lesson: (await lessonNamed(controlApi, tenantId, row.lesson, row.version)).document };
}
