// ValidatingAdmissionWebhook: calls all webhooks that match a write in parallel. One rejection is enough.
import { validatingWebhookConfigurations } from "../kinds/admissionregistration/validating-webhook-configuration.ts";
import type { ApiError } from "../../shared/k8s/status.ts";
import { must } from "../../shared/base/assert.ts";
import type { AdmissionPlugin, AdmissionRequest } from "../registry/admission.ts";
import { annotate } from "./common/annotations.ts";
import { readResponse } from "./webhooks/call.ts";
import { refusalOf } from "./webhooks/failure.ts";
import { type Hook, hooksFor } from "./webhooks/hook.ts";
import { type Review, reviewOf } from "./webhooks/review.ts";
import type { ValidatingWebhook } from "../../shared/k8s/api/admissionregistration-v1.ts";

const failedOpen = "failed-open.validating.webhook.admission.k8s.io";

export const validatingWebhooks: AdmissionPlugin = {
  name: "ValidatingAdmissionWebhook",
  validate(request) {
    const reviews = [...hooksFor<ValidatingWebhook>(validatingWebhookConfigurations, request)].map((hook) =>
      reviewHook(hook, request),
    );
    const answers = request.context.ask(reviews.flatMap(({ review }) => review?.question ?? []));
    const open = [...answers];
    // All responses are read before one rejects the write, so that all warnings are added.
    const refusals = reviews.flatMap(({ hook: { webhook }, review, error }, index) => {
      if (!review) return error ?? [];
      const answer = must(open.shift(), "answer");
      const annotateFailedOpen = () => annotate(request, `${failedOpen}/round_0_index_${index}`, webhook.name);
      return (
        failureOf(
          () => readResponse(webhook, review, answer, request, { isMutating: false }),
          webhook.failurePolicy,
          annotateFailedOpen,
        ) ?? []
      );
    });
    const [refusal] = refusals;
    if (refusal) throw refusal;
  },
};

interface ReviewedHook {
  readonly hook: Hook<ValidatingWebhook>;
  readonly review?: Review;
  readonly error: ApiError | undefined;
}

function reviewHook(hook: Hook<ValidatingWebhook>, request: AdmissionRequest): ReviewedHook {
  let review: Review | undefined;
  const error = failureOf(() => {
    review = reviewOf(hook, request);
  }, hook.webhook.failurePolicy);
  return { hook, ...(review ? { review } : {}), error };
}

/** Returns the error of a failed or rejecting webhook, by its failure policy. */
function failureOf(body: () => void, failurePolicy: string | undefined, onIgnored?: () => void): ApiError | undefined {
  try {
    body();
    return undefined;
  } catch (error) {
    const refusal = refusalOf(error, failurePolicy);
    if (!refusal) onIgnored?.();
    return refusal;
  }
}
