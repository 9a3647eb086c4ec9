// Asking a webhook, and reading what came back.
import type { MutatingWebhook, ValidatingWebhook } from "../../../shared/k8s/api/admissionregistration-v1.ts";
import type { Answer } from "../../../shared/k8s/question.ts";
import type { AdmissionRequest } from "../../registry/admission.ts";
import { CallFailure, denied } from "./failure.ts";
import { type Review, type Verdict, verdictOf } from "./review.ts";

type Webhook = MutatingWebhook | ValidatingWebhook;

/** Passes its warnings on; throws the refusal that it gave, or `CallFailure`. */
export function heard(
  webhook: Webhook,
  review: Review,
  answer: Answer,
  request: AdmissionRequest,
  mutating: boolean,
): Verdict {
  const verdict = verdictOf(webhook, mutating, review, bodyOf(webhook, answer));
  for (const warning of verdict.warnings) request.warn(warning);
  if (!verdict.allowed) throw denied(webhook.name, verdict.status);
  return verdict;
}

function bodyOf({ name }: Webhook, answer: Answer): unknown {
  const failed = (why: string) => new CallFailure(name, `failed to call webhook: ${why}`);
  if (!answer.ok) throw failed(answer.message);
  if (answer.status < 200 || answer.status > 299) throw failed(statusText(answer.status, answer.body.trim()));
  try {
    return JSON.parse(answer.body);
  } catch {
    throw failed("couldn't get version/kind; json parse error: invalid JSON");
  }
}

/** As client-go words what a server answered that is no Status. */
function statusText(status: number, body: string): string {
  const known: Readonly<Record<number, string>> = {
    400: "the server rejected our request for an unknown reason",
    401: "the server has asked for the client to provide credentials",
    403: body || "unknown",
    404: "the server could not find the requested resource",
    405: "the server does not allow this method on the requested resource",
    413: `Request entity too large: limit is 3145728`,
    415: "the body of the request was in an unknown format - accepted media types include: ",
    429: "the server has received too many requests and has asked us to try again later",
    503: "the server is currently unable to handle the request",
    504: "the server was unable to return a response in the time allotted, but may still be processing the request",
  };
  if (known[status] !== undefined) return known[status];
  if (status >= 500) {
    return `an error on the server (${JSON.stringify(body || "unknown")}) has prevented the request from succeeding`;
  }
  return `the server responded with the status code ${status} but did not return more information`;
}
