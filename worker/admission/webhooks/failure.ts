// A webhook that could not be asked, or gave no proper answer: its failure policy says whether that matters.
import { ApiError } from "../../../shared/k8s/status.ts";
import type { JsonObject } from "../../../shared/schema/json-values.ts";

/** Upstream's `ErrCallingWebhook`. */
export class CallFailure extends Error {
  constructor(webhook: string, why: string) {
    super(`failed calling webhook ${JSON.stringify(webhook)}: ${why}`);
  }
}

/** What a failure comes to: nothing, or a refusal of the write. */
export function heeded(error: unknown, failurePolicy: string | undefined): unknown {
  if (!(error instanceof CallFailure)) return error;
  return failurePolicy === "Ignore" ? undefined : ApiError.internal(error.message);
}

/** Upstream's `ToStatusErr`. */
export function denied(webhook: string, status: JsonObject): ApiError {
  const { code, message, reason, details } = status;
  const by = `admission webhook ${JSON.stringify(webhook)} denied the request`;
  const why = [message, reason].find((one): one is string => typeof one === "string" && one !== "");
  return new ApiError(
    typeof code === "number" && code >= 400 ? code : 400,
    typeof reason === "string" ? reason : "",
    why === undefined ? `${by} without explanation` : `${by}: ${why}`,
    // Details of a Status, as the webhook gave them.
    (typeof details === "object" && details !== null ? details : undefined) as ApiError["details"],
  );
}
