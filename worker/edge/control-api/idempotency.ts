// Idempotency keys: for a day, a repeated request with the same `Idempotency-Key` returns the stored response, and nothing is done twice.
// A new sandbox is stored with the key in the same batch, so that an interrupted request resumes with that sandbox. Other effects are not
// all in D1. If such a request was interrupted, or failed without a defined result, it is not run again.
// A request holds its key by a lease and renews it, so the key of an interrupted request is free again within seconds.
import { limits } from "../../../shared/base/limits.ts";
import { type LeasedKey, leaseUntil, leaseOf, createdResourceOf } from "../db/idempotency.ts";
import type { IdempotencyRow } from "../db/schema.ts";
import { hashOf, randomText } from "../mac.ts";
import { seal, unseal } from "../sealed.ts";
import { invalidField } from "./body.ts";
import { ControlError } from "./control-error.ts";
import { whileRenewed } from "./lease.ts";
import type { ControlApiServer } from "./server.ts";

/** A request with an idempotency key. */
export interface Repeatable {
  readonly tenantId: string;
  /** The key as the client chose it. */
  readonly key: string;
  /** The fingerprint of the request. */
  readonly request: string;
  /** See `Route`. */
  readonly resumes: boolean;
}

interface Kept {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** The marker stored instead of a response if the outcome is unknown. */
const unknown = "unknown";
const keyShape = /^[\x21-\x7e]{1,255}$/;

/** Runs a request once. An error response is not stored, so the client can retry with the same key. */
export async function once(
  controlApi: ControlApiServer,
  { tenantId, key, request: fingerprint, resumes }: Repeatable,
  answer: (repeated: ControlApiServer["repeated"]) => Promise<Response>,
): Promise<Response> {
  if (!keyShape.test(key)) throw invalidField("Idempotency-Key", "must have 1 to 255 visible ASCII characters");
  const { repeats } = controlApi;
  const [request, createdAtMs] = [await hashOf(fingerprint), controlApi.nowMs()];
  const row = { tenantId, key, request, createdAtMs, holder: randomText(16) };
  const lease = () => controlApi.nowMs() + limits.requestLeaseMs;
  const before = await repeats.begin(row, lease());
  let resourceId: string | undefined;
  if (before) {
    const replayed = await replay(controlApi, before, { request, resumes });
    if (replayed) return replayed;
    const isSame = createdAtMs - before.createdAtMs < limits.idempotencyMs;
    resourceId = isSame ? createdResourceOf(before.answer) : undefined;
    const next = resourceId === undefined ? row : { ...row, createdAtMs: before.createdAtMs };
    const leaseOrAnswer = resourceId === undefined ? leaseUntil(lease()) : before.answer;
    if (!(await repeats.takeOver(before, next, leaseOrAnswer))) throw inProgress(limits.requestLeaseMs);
  } else await requireRoomForKey(controlApi, row);
  const { holder } = row;
  const work = answer(resumes ? { lease: { tenantId, key, holder }, resourceId } : undefined);
  const response = await whileRenewed(controlApi, work, () => repeats.renew(row, lease())).catch(
    async (error: unknown) => {
      await (resumes || error instanceof ControlError ? repeats.forget(row) : repeats.keep(row, unknown));
      throw error;
    },
  );
  try {
    await keep(controlApi, { ...row, resumes }, response.clone());
  } catch (error) {
    // The request has succeeded, so its response is returned even if storing it failed. A repeated request waits until the lease expires.
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

/** Returns undefined if the request was interrupted, or its record was deleted. */
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
  if (createdResourceOf(row.answer) !== undefined) return undefined;
  const leaseMs = leaseOf(row);
  if (leaseMs !== undefined && leaseMs > nowMs) throw inProgress(leaseMs - nowMs);
  if (leaseMs !== undefined && resumes) return undefined;
  if (leaseMs !== undefined || row.answer === unknown) throw outcomeUnknown();
  const text = await unseal(controlApi.secret, contextOf(row), row.answer).catch(() => undefined);
  // A retired secret sealed the response.
  if (text === undefined) throw outcomeUnknown();
  // `keep` wrote the JSON.
  const { status, type, body } = JSON.parse(text) as Kept;
  const headers = { ...(type ? { "content-type": type } : {}), "idempotency-replayed": "true" };
  return new Response(status === 204 ? null : body, { status, headers });
}

/**
 * Stores the response. It contains tokens, so it is encrypted. If it is too long, it is built again from the created resource, or not at
 * all.
 */
async function keep(
  { repeats, secret }: ControlApiServer,
  row: LeasedKey & Pick<IdempotencyRow, "request"> & Pick<Repeatable, "resumes">,
  response: Response,
) {
  const { status, headers } = response;
  const record: Kept = { status, type: headers.get("content-type") ?? "", body: await response.text() };
  const answer = await seal(secret, contextOf(row), JSON.stringify(record));
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
