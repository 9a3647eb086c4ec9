// Requests to the service that this page is of. What it refuses has its true status here, and is no error in the browser's log.
import { refusalsAsOk, refusalsHeader, statusHeader } from "../../shared/contract/hosted/refusals.ts";

/** Throws a TypeError where the service could not be reached. */
export async function fetchOwn(address: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set(refusalsHeader, refusalsAsOk);
  return withTrueStatus(await fetch(address, { ...init, headers }));
}

export function withTrueStatus(answer: Response): Response {
  const status = Number(answer.headers.get(statusHeader));
  if (status < 400 || status > 499) return answer;
  const headers = new Headers(answer.headers);
  headers.delete(statusHeader);
  return new Response(answer.body, { status, headers });
}
