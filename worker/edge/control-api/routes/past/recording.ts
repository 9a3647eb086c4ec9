// Sends a recording of a sandbox's requests, read in steps as the client takes them.
import { limits } from "../../../../../shared/base/limits.ts";
import {
  type RecordedRequest,
  type RecordingCut,
  type RecordingHeader,
  type RecordingQuery,
  type RecordingStep,
  recordingVersion,
} from "../../../../../shared/contract/cluster/recording.ts";
import type { ControlApiServer } from "../../server.ts";
import { refusalError } from "../../states.ts";

export const recordingType = "application/jsonl";

/** Throws a `ControlError` if there is nothing to record. The body breaks off if a later step is refused. */
export async function recording(
  controlApi: ControlApiServer,
  { id, name }: { readonly id: string; readonly name: string },
  query: RecordingQuery,
): Promise<Response> {
  const ask = async (after?: number): Promise<RecordingStep> => {
    const step = await controlApi.cluster(id).recordRequests({ query, after });
    if (!step.ok) throw refusalError(step);
    return step;
  };
  const first = await ask();
  const header = { recording: recordingVersion, of: "requests", from: first.from, source: name } as const;
  const chunks = chunksOf(header, first, ask);
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const chunk = await chunks.next();
      if (chunk.done) controller.close();
      else controller.enqueue(chunk.value);
    },
  });
  return new Response(body, { headers: { "content-type": recordingType } });
}

async function* chunksOf(
  header: RecordingHeader,
  first: RecordingStep,
  ask: (after: number) => Promise<RecordingStep>,
): AsyncGenerator<Uint8Array, void> {
  const encoder = new TextEncoder();
  let left = limits.recordingBytes;
  yield encoder.encode(lineOf(header));
  for (let step = first; ; ) {
    for (const request of step.requests) {
      const bytes = encoder.encode(lineOf(request));
      left -= bytes.length;
      if (left < 0) {
        yield encoder.encode(lineOf({ truncated: true }));
        return;
      }
      yield bytes;
    }
    if (step.next === undefined) return;
    step = await ask(step.next);
  }
}

function lineOf(value: RecordingHeader | RecordedRequest | RecordingCut): string {
  return `${JSON.stringify(value)}\n`;
}
