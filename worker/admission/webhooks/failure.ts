// A webhook that could not be asked, or gave no proper answer: its failure policy says whether that matters.
import { ApiError } from "../../../shared/k8s/status.ts";
import type { JsonObject } from "../../../shared/schema/json-values.ts";

/** The webhook could not be asked, or its answer is no proper one. */
export class ErrCallingWebhook extends Error {
  constructor(webhook: string, why: string) {
    super(`failed calling webhook ${JSON.stringify(webhook)}: ${why}`);
  }
}

/** What a webhook's refusal or failure comes to: a refusal of the write, or nothing. Throws all else on. */
export function refusalOf(error: unknown, failurePolicy: string | undefined): ApiError | undefined {
  if (error instanceof ApiError) return error;
  if (!(error instanceof ErrCallingWebhook)) throw error;
  return failurePolicy === "Ignore" ? undefined : ApiError.internal(error.message);
}

/** The refusal that a webhook gave, as a client is told it. */
export function toStatusErr(webhook: string, status: JsonObject): ApiError {
  const { code, message, reason, details } = status;
  const by = `admission webhook ${JSON.stringify(webhook)} denied the request`;
  const why = [message, reason].find((one): one is string => typeof one === "string" && one !== "");
  return new ApiError(
    typeof code === "number" && code >= 400 ? code : 400,
    typeof reason === "string" ? reason : "",
    why === undefined ? `${by} without explanation` : `${by}: ${why}`,
    // Details of a Status, as the webhook gave them.
    typeof details === "object" && details !== null ? details : undefined,
  );
}
