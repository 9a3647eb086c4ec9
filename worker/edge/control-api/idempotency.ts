// Requests that may come again: for a day, the same request with the same `Idempotency-Key` is answered as it was, and nothing is done twice.
// The sandbox that a request makes is noted with its key in the batch that makes it show, so that one that was cut off goes on with that
// sandbox. What others do is not all D1's: where one of them was cut off, or failed without saying what it did, it is not begun again.
// A request holds its key by a lease that it renews while it lives, so a key whose request was cut off is free again within seconds.
import { limits } from "../../../shared/base/limits.ts";
import { type HeldKey, heldUntil, leaseOf, madeIn } from "../db/idempotency.ts";
import type { IdempotencyRow } from "../db/schema.ts";
import { hashOf, randomText } from "../mac.ts";
import { seal, unseal } from "../sealed.ts";
import { invalidField } from "./body.ts";
import { ControlError } from "./control-error.ts";
import { whileRenewed } from "./lease.ts";
import type { ControlApiServer } from "./server.ts";

/** Of requests that may come again. */
export interface Repeatable {
  readonly tenantId: string;
  /** As the client chose it. */
  readonly key: string;
  /** All that makes two requests the same. */
  readonly request: string;
  /** See `Route`. */
  readonly resumes: boolean;
}

interface Kept {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** In place of an answer: it may have been done. */
const unknown = "unknown";
const keyShape = /^[\x21-\x7e]{1,255}$/;

/** What is refused is not kept: it may be tried again with the same key. */
export async function once(
  controlApi: ControlApiServer,
  { tenantId, key, request: said, resumes }: Repeatable,
  answer: (repeated: ControlApiServer["repeated"]) => Promise<Response>,
): Promise<Response> {
  if (!keyShape.test(key)) throw invalidField("Idempotency-Key", "must have 1 to 255 visible ASCII characters");
  const { repeats } = controlApi;
  const [request, createdAtMs] = [await hashOf(said), controlApi.nowMs()];
  const row = { tenantId, key, request, createdAtMs, holder: randomText(16) };
  const lease = () => controlApi.nowMs() + limits.requestLeaseMs;
  const before = await repeats.begin(row, lease());
  let made: string | undefined;
  if (before) {
    const replayed = await replay(controlApi, before, { request, resumes });
    if (replayed) return replayed;
    const isSame = createdAtMs - before.createdAtMs < limits.idempotencyMs;
    made = isSame ? madeIn(before.answer) : undefined;
    const next = made === undefined ? row : { ...row, createdAtMs: before.createdAtMs };
    const held = made === undefined ? heldUntil(lease()) : before.answer;
    if (!(await repeats.takeOver(before, next, held))) throw inProgress(limits.requestLeaseMs);
  } else await requireRoomForKey(controlApi, row);
  const { holder } = row;
  const work = answer(resumes ? { held: { tenantId, key, holder }, made } : undefined);
  const response = await whileRenewed(controlApi, work, () => repeats.renew(row, lease())).catch(
    async (error: unknown) => {
      await (resumes || error instanceof ControlError ? repeats.forget(row) : repeats.keep(row, unknown));
      throw error;
    },
  );
  try {
    await keep(controlApi, { ...row, resumes }, response.clone());
  } catch (error) {
    // What was asked for is done, and whoever asked is told so; the same request again waits until this one counts as cut off.
    controlApi.report(error, "the answer to a request that may come again");
  }
  return response;
}

async function requireRoomForKey({ repeats, nowMs }: ControlApiServer, row: Omit<IdempotencyRow, "answer">) {
  const most = limits.idempotencyKeys;
  if ((await repeats.countSince(row.tenantId, nowMs() - limits.idempotencyMs)) <= most) return;
  await repeats.forget(row);
  const message = `there are ${most} Idempotency-Keys of the last day, as many as there may be`;
  throw new ControlError(409, "too_many_idempotency_keys", message, "Idempotency-Key");
}

/** Nothing, where whoever answered it was cut off, or it is forgotten by now. */
async function replay(
  controlApi: ControlApiServer,
  row: IdempotencyRow,
  { request, resumes }: Pick<Repeatable, "request" | "resumes">,
): Promise<Response | undefined> {
  const nowMs = controlApi.nowMs();
  if (nowMs - row.createdAtMs >= limits.idempotencyMs) return undefined;
  if (row.request !== request) {
    const message = "the Idempotency-Key came before, with another request: choose another";
    throw new ControlError(422, "idempotency_key_reused", message, "Idempotency-Key");
  }
  if (madeIn(row.answer) !== undefined) return undefined;
  const leaseMs = leaseOf(row);
  if (leaseMs !== undefined && leaseMs > nowMs) throw inProgress(leaseMs - nowMs);
  if (leaseMs !== undefined && resumes) return undefined;
  if (leaseMs !== undefined || row.answer === unknown) throw outcomeUnknown();
  const text = await unseal(controlApi.secret, contextOf(row), row.answer).catch(() => undefined);
  // It was sealed by a secret that is not accepted any more.
  if (text === undefined) throw outcomeUnknown();
  // As `keep` wrote it.
  const { status, type, body } = JSON.parse(text) as Kept;
  const headers = { ...(type ? { "content-type": type } : {}), "idempotency-replayed": "true" };
  return new Response(status === 204 ? null : body, { status, headers });
}

/** Tokens are in it, so it is stored enciphered. One that is too long to be kept is made anew of what was made, or not at all. */
async function keep(
  { repeats, secret }: ControlApiServer,
  row: HeldKey & Pick<IdempotencyRow, "request"> & Pick<Repeatable, "resumes">,
  response: Response,
) {
  const { status, headers } = response;
  const kept: Kept = { status, type: headers.get("content-type") ?? "", body: await response.text() };
  const answer = await seal(secret, contextOf(row), JSON.stringify(kept));
  if (answer.length <= limits.idempotencyCharacters) await repeats.keep(row, answer);
  else if (!row.resumes) await repeats.keep(row, unknown);
}

function contextOf({ tenantId, key, request }: Pick<IdempotencyRow, "tenantId" | "key" | "request">): string {
  return JSON.stringify([tenantId, key, request]);
}

function outcomeUnknown(): ControlError {
  const message =
    "a request with this Idempotency-Key was cut off or its answer could not be kept, and it may have been done: look, and ask again with another key where it was not";
  return new ControlError(409, "outcome_unknown", message, "Idempotency-Key");
}

function inProgress(leftMs: number): ControlError {
  const message = "a request with this Idempotency-Key has not been answered yet: ask again in a while";
  const headers = { "retry-after": String(Math.max(1, Math.ceil(leftMs / 1000))) };
  return new ControlError(409, "request_in_progress", message, "Idempotency-Key", { headers });
}
