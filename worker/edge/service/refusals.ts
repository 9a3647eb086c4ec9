// Refusals to the service's own pages, which ask for them with the status 200: see `shared/contract/hosted/refusals.ts`.
import { refusalsAsOk, refusalsHeader, statusHeader } from "../../../shared/contract/hosted/refusals.ts";
import { foreignOrigin } from "../cors.ts";

/**
 * The answer as its request asked for it. Pages of other origins cannot ask so: no preflight allows the header. Nothing keeps such an answer,
 * as to others it would be another. What a container answers by way of a proxy cannot pass for a refusal of the service.
 */
export function refusedAsAsked(request: Request, answer: Response): Response {
  if (request.headers.get(refusalsHeader) !== refusalsAsOk || foreignOrigin(request) !== undefined) return answer;
  const { status } = answer;
  const isRefusal = status >= 400 && status < 500;
  if (!isRefusal && !answer.headers.has(statusHeader)) return answer;
  const headers = new Headers(answer.headers);
  headers.delete(statusHeader);
  if (!isRefusal) return new Response(answer.body, { status, statusText: answer.statusText, headers });
  headers.set(statusHeader, String(status));
  headers.set("cache-control", "no-store");
  headers.append("vary", refusalsHeader);
  return new Response(answer.body, { status: 200, headers });
}
