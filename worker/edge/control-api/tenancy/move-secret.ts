// Moves stored data from a retired secret to the current one, a bounded batch for each request. Each step checks whether an item is moved
// already, so it can be interrupted, repeated and run concurrently.
import type * as z from "zod";
import { accessLimits } from "../../../../shared/base/request-limits.ts";
import { currentSecret, secretValues } from "../../../../shared/base/secret.ts";
import type { moveSecret as moveOptions, SecretMove } from "../../../../shared/contract/hosted/admin.ts";
import { resealKey } from "../../../lti/tool-key.ts";
import type { LinksLeft } from "../../db/secrets.ts";
import type { SandboxRow } from "../../db/schema.ts";
import { hashOf } from "../../mac.ts";
import { currentAdminToken, idOfSecret } from "../../tokens.ts";
import { withoutAudit } from "../access/audit.ts";
import { invalidField } from "../body.ts";
import { giveTokensIn } from "../learn/access.ts";
import { activeRunIn, currentSecretColumns } from "../rotate.ts";
import type { ControlApiServer } from "../server.ts";
import { renewSignature } from "../states.ts";

type Part = "sandboxes" | "keys" | "files";

/** The steps in their order. The ones before the files are fast. */
const moveSteps: readonly Part[] = ["sandboxes", "keys", "files"];

interface Batch {
  readonly moved: number;
  readonly failed: number;
  /** The cursor of the next batch; undefined if the step is complete. */
  readonly after?: string | undefined;
}

export async function moveSecret(
  controlApi: ControlApiServer,
  { cursor }: z.output<typeof moveOptions>,
): Promise<SecretMove> {
  const { secret, secrets, nowMs } = controlApi;
  const [, name, after = ""] = /^([a-z]+):(.*)$/.exec(cursor ?? "sandboxes:") ?? [];
  const step = moveSteps.find((candidate) => candidate === name);
  if (!step) throw invalidField("cursor", "is not a cursor");
  const secretId = await idOfSecret(currentSecret(secret));
  const begunAtMs = await secrets.begin(secretId, nowMs());
  const batch = await movers[step](controlApi, after);
  const following = moveSteps[moveSteps.indexOf(step) + 1];
  const next = batch.after === undefined ? following && `${following}:` : `${step}:${batch.after}`;
  const { classes, runs } = await secrets.links(begunAtMs, nowMs());
  return {
    values: secretValues(secret).length,
    part: step,
    moved: batch.moved,
    failed: batch.failed,
    sandboxesLeft: await secrets.countUnmoved(secretId, nowMs()),
    links: { classes: linksOf(classes), runs: linksOf(runs) },
    ...(next === undefined ? {} : { nextCursor: next }),
  };
}

const movers: Readonly<Record<Part, (controlApi: ControlApiServer, after: string) => Promise<Batch>>> = {
  sandboxes: async (controlApi, after) => {
    const { secret, secrets, nowMs } = controlApi;
    const most = accessLimits.movedSandboxes;
    const rows = await secrets.unmoved(await idOfSecret(currentSecret(secret)), nowMs(), after, most);
    const done = await each(controlApi, rows, (row) => moveSandbox(controlApi, row));
    return { ...done, after: rows.length < most ? undefined : rows.at(-1)?.id };
  },
  keys: async (controlApi, after) => {
    const { secret, secrets } = controlApi;
    const most = accessLimits.movedToolKeys;
    const rows = await secrets.toolKeys(after, most);
    const done = await each(controlApi, rows, async (row) => {
      const sealed = await resealKey(secret, row);
      if (sealed !== undefined) await secrets.sealToolKey(row.kid, row.sealed, sealed);
      return sealed !== undefined;
    });
    return { ...done, after: rows.length < most ? undefined : rows.at(-1)?.kid };
  },
  files: async (controlApi, after) => {
    const { files, secret } = controlApi;
    const page = await files.list(accessLimits.movedFiles, after || undefined);
    const done = await each(controlApi, page.files, ({ key }) =>
      files.change(key, (bytes) => renewSignature(secret, bytes)),
    );
    return { ...done, after: page.cursor };
  },
};

/** Moves each item. Failures are reported and left to the next run. */
async function each<T>(
  { report }: ControlApiServer,
  all: readonly T[],
  move: (item: T) => Promise<boolean>,
): Promise<Omit<Batch, "after">> {
  const done = { moved: 0, failed: 0 };
  for (const item of all) {
    try {
      if (await move(item)) done.moved += 1;
    } catch (error) {
      done.failed += 1;
      report(error, "the move to another secret");
    }
  }
  return done;
}

/** Registers the tokens of the current secret in the cluster, beside those of the retired secret, which expire with it. */
async function moveSandbox(controlApi: ControlApiServer, row: SandboxRow): Promise<boolean> {
  const facts = await currentSecretColumns(controlApi, row);
  const moved = { ...row, ...facts };
  const adminTokenHash = await hashOf(await currentAdminToken(controlApi.secret, moved));
  // A deleted cluster needs no new tokens.
  if (await controlApi.cluster(row.id).renewTokens({ adminTokenHash, revoke: "none" })) {
    const run = await activeRunIn(controlApi, row);
    if (run) await giveTokensIn(withoutAudit(controlApi), run.row, run.lesson, moved);
  }
  return controlApi.secrets.moveSandbox(row, facts);
}

function linksOf({ count, lastEndMs }: LinksLeft) {
  return { count, ...(lastEndMs === undefined ? {} : { lastEndsAt: new Date(lastEndMs).toISOString() }) };
}
