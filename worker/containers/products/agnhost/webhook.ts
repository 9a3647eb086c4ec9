// agnhost webhook: answers AdmissionReviews as the webhooks of upstream's tests do. The decisions are in `reviews.ts`.
import type { Task } from "../../../../shared/shell/task.ts";
import type { Page, Visit } from "../../shell/server.ts";
import type { ProgramCall } from "../../shell/program.ts";
import { flagsOf } from "./flags.ts";
import { type Decision, reviews, type Review } from "./reviews.ts";
import { fails, headerOf, listen, overTls, textPage } from "./serving.ts";

export function* webhook(call: ProgramCall): Task<number> {
  const flags = flagsOf(call.args);
  const words = [flags.text("sidecar-image")];
  return yield* listen(
    call,
    overTls((visit) => webhookAnswer(visit, words)),
    [{ port: flags.number("port", 443) }],
  );
}

interface AdmissionReview {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly request?: Review & { readonly uid?: string };
}

/** `words`: the image of the container that it adds. */
export function webhookAnswer(visit: Visit, [sidecarImage = ""]: readonly string[]): Page {
  const [path = ""] = visit.path.split("?");
  if (path === "/readyz") return textPage("ok");
  const review = Object.hasOwn(reviews, path) ? reviews[path] : undefined;
  if (!review) return fails("404 page not found", 404);
  if (headerOf(visit, "content-type") !== "application/json") return textPage("");
  let sent: AdmissionReview;
  try {
    sent = JSON.parse(visit.body) as AdmissionReview;
  } catch {
    return fails("Request could not be decoded: couldn't get version/kind; json parse error", 400);
  }
  const { kind, apiVersion, request } = sent;
  if (kind !== "AdmissionReview" || !request) {
    return fails(`Unsupported group version kind: ${apiVersion ?? ""}, Kind=${kind ?? ""}`, 400);
  }
  const decided = review(request, sidecarImage);
  const response = { uid: request.uid, ...responseOf(decided) };
  const { tookMs = 0 } = decided;
  return { contentType: "application/json", body: JSON.stringify({ kind, apiVersion, response }), status: 200, tookMs };
}

function responseOf({ allowed, status, patch }: Decision): object {
  return {
    allowed,
    ...(status ? { status: { metadata: {}, ...status } } : {}),
    ...(patch ? { patch: btoa(JSON.stringify(patch)), patchType: "JSONPatch" } : {}),
  };
}
