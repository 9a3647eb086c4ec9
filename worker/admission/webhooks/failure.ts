// Errors of webhooks that cannot be called or respond incorrectly. The failure policy decides their effect.
import { ApiError } from "../../../shared/k8s/status.ts";
import type { JsonObject } from "../../../shared/schema/json-values.ts";

/** The webhook could not be called, or its response is invalid. */
export class ErrCallingWebhook extends Error {
  constructor(webhook: string, why: string) {
    super(`failed calling webhook ${JSON.stringify(webhook)}: ${why}`);
  }
}

/** Returns the error that rejects the write after a webhook's rejection or failure, or undefined. Rethrows other errors. */
export function refusalOf(error: unknown, failurePolicy: string | undefined): ApiError | undefined {
  if (error instanceof ApiError) return error;
  if (!(error instanceof ErrCallingWebhook)) throw error;
  return failurePolicy === "Ignore" ? undefined : ApiError.internal(error.message);
}

/** Returns the rejection of a webhook as the client receives it. */
export function toStatusErr(webhook: string, status: JsonObject): ApiError {
  const { code, message, reason, details } = status;
  const by = `admission webhook ${JSON.stringify(webhook)} denied the request`;
  const why = [message, reason].find((text): text is string => typeof text === "string" && text !== "");
  return new ApiError(
    typeof code === "number" && code >= 400 ? code : 400,
    typeof reason === "string" ? reason : "",
    why === undefined ? `${by} without explanation` : `${by}: ${why}`,
    // The details of a Status, as the webhook set them.
    typeof details === "object" && details !== null ? details : undefined,
  );
}
