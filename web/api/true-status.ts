// The status of an answer that the service sent as 200, so that a refusal is no error in the browser's log.
import { statusHeader } from "../../shared/contract/hosted/refusals.ts";

export function withTrueStatus(answer: Response): Response {
  const status = Number(answer.headers.get(statusHeader));
  if (status < 400 || status > 499) return answer;
  const headers = new Headers(answer.headers);
  headers.delete(statusHeader);
  return new Response(answer.body, { status, headers });
}
