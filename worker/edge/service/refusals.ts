// Errors for the service's own pages, which request them with status 200: see `shared/contract/hosted/refusals.ts`.
import { refusalsAsOk, refusalsHeader, statusHeader } from "../../../shared/contract/hosted/refusals.ts";
import { foreignOrigin } from "../cors.ts";

/**
 * Converts an error as the request demands. Pages of other origins cannot demand it, because no preflight allows the header, and the
 * response is not cached.
 * A response of a proxied container cannot pass for an error of the service.
 */
export function encodeRefusal(request: Request, answer: Response): Response {
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
