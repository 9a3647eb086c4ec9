// Calls a webhook and reads its response as client-go does.
import type { MutatingWebhook, ValidatingWebhook } from "../../../shared/k8s/api/admissionregistration-v1.ts";
import type { OutboundAnswer } from "../../../shared/k8s/outbound-call.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import { decode } from "../../../shared/schema/decode.ts";
import type { JsonObject } from "../../../shared/schema/json-values.ts";
import { reviewIn } from "../../../shared/schema/review-answer.ts";
import type { AdmissionRequest } from "../../registry/admission.ts";
import { annotate } from "../common/annotations.ts";
import { ErrCallingWebhook, toStatusErr } from "./failure.ts";
import { type Review, type Verdict, verdictOf } from "./review.ts";

type Webhook = MutatingWebhook | ValidatingWebhook;

/** The work of reading a character of a response, and of the patch in it. */
const byteWork = 0.06;

/** Reads a response: adds its warnings and annotations. Throws its rejection, or `ErrCallingWebhook`. */
export function readResponse(
  webhook: Webhook,
  review: Review,
  answer: OutboundAnswer,
  request: AdmissionRequest,
  { isMutating }: { readonly isMutating: boolean },
): Verdict {
  if (answer.ok) request.context.meter.account(answer.body.length * byteWork);
  const verdict = verdictOf(webhook, isMutating, review, bodyOf(webhook, review, answer));
  for (const [key, value] of Object.entries(verdict.annotations)) annotate(request, `${webhook.name}/${key}`, value);
  for (const warning of verdict.warnings) request.warn(warning);
  if (!verdict.allowed) throw toStatusErr(webhook.name, verdict.status);
  return verdict;
}

const admissionReview = { group: "admission.k8s.io", kind: "AdmissionReview" };

function bodyOf({ name }: Webhook, { apiVersion }: Review, answer: OutboundAnswer): JsonObject {
  const version = apiVersion.slice(apiVersion.indexOf("/") + 1);
  try {
    const review = reviewIn(answer, admissionReview, version);
    // Decoding an object returns an object.
    return decode(`io.k8s.api.admission.${version}.AdmissionReview`, review).object as JsonObject;
  } catch (error) {
    if (error instanceof ApiError) throw new ErrCallingWebhook(name, `failed to call webhook: ${error.message}`);
    throw error;
  }
}
