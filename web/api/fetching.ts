// Requests to the service of this page. Refusals keep their status without being logged as errors by the browser.
import { refusalsAsOk, refusalsHeader } from "../../shared/contract/hosted/refusals.ts";
import { texts as all } from "../messages/service.ts";
import { withTrueStatus } from "./true-status.ts";

const texts = all.fetching;

/** The request got no answer; the message names the cause as far as a page can know it. */
export class Unreachable extends Error {
  override name = "Unreachable";

  constructor() {
    super(navigator.onLine ? texts.noAnswer(location.origin) : texts.offline);
  }
}

/** Throws an `Unreachable` if nothing answers, and the signal's reason after an abort. */
export async function fetchOwn(address: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set(refusalsHeader, refusalsAsOk);
  const answer = await fetch(address, { ...init, headers }).catch((error: unknown) => {
    throw error instanceof TypeError ? new Unreachable() : error;
  });
  return withTrueStatus(answer);
}
