// Sends a file to the service and reports how much of it was sent, which `fetch` does not report.
import { refusalsAsOk, refusalsHeader } from "../../shared/contract/hosted/refusals.ts";
import { Unreachable } from "./fetching.ts";
import { withTrueStatus } from "./true-status.ts";

export interface Upload {
  readonly path: string;
  readonly file: Blob;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Receives the bytes that were sent. */
  readonly progress: (sentBytes: number) => void;
}

/** Throws an `Unreachable` if nothing answers, and the signal's reason after an abort. */
export function uploadOwn({ path, file, headers, signal, progress }: Upload): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  const request = new XMLHttpRequest();
  request.open("POST", path);
  for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
  request.setRequestHeader(refusalsHeader, refusalsAsOk);
  request.upload.addEventListener("progress", ({ loaded }) => progress(loaded));
  request.addEventListener("load", () => resolve(withTrueStatus(answerOf(request))));
  request.addEventListener("error", () => reject(new Unreachable()));
  request.addEventListener("abort", () => reject(signal.reason));
  signal.addEventListener("abort", () => request.abort());
  request.send(file);
  return promise;
}

function answerOf(request: XMLHttpRequest): Response {
  const lines = request.getAllResponseHeaders().trim().split(/\r?\n/);
  const pairs = lines
    .map((line) => line.split(/:\s*(.*)/s))
    .map(([name = "", value = ""]): [string, string] => [name, value]);
  return new Response(request.responseText, { status: request.status, headers: pairs });
}
