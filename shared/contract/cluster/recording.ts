// A recording: the requests that changed a cluster, with their times, as lines of JSON. `docs/time.md` describes the format.
import * as z from "zod";
import { limits } from "../../base/limits.ts";
import type { StateRefusal } from "../cluster-state.ts";
import { moment } from "./past.ts";

/** Query of `GET /v1/sandboxes/{id}/recording`. */
export const recordingQuery = z.strictObject({
  since: moment.optional().describe("A resource version or a time, from which on. Absent: all that history has."),
  until: moment.optional().describe("A resource version or a time, up to which. Absent: now."),
  user: z.string().max(limits.changedNameCharacters).optional().describe("Only this user's requests."),
});

export type RecordingQuery = z.output<typeof recordingQuery>;

/** The version of the format. */
export const recordingVersion = 1;

/** The first line. */
export interface RecordingHeader {
  readonly recording: typeof recordingVersion;
  /** `requests`: those of a sandbox's users. `cluster`: the changes of a cluster, whoever made them. */
  readonly of: "requests" | "cluster";
  /** The time at which the recording begins. */
  readonly from: string;
  /** The name of the sandbox or the server. */
  readonly source: string;
}

/** A further line. `exists` is an object that is there at the beginning. */
export interface RecordedRequest {
  /** The time of the cluster. */
  readonly at: string;
  readonly verb: "exists" | "create" | "update" | "patch" | "delete";
  /** The path below the server: of the collection for `exists` and `create`, else of the object or its subresource. */
  readonly path: string;
  /** The user. Absent for a captured cluster. */
  readonly user?: string | undefined;
  /** The UID of the object, by which later owner references name it. */
  readonly uid?: string | undefined;
  /** The object, a JSON merge patch, or the options of a deletion. */
  readonly body?: object | undefined;
}

/** The last line of a recording that was cut at its bound. */
export interface RecordingCut {
  readonly truncated: true;
}

/** A question for the next requests. */
export interface RecordingStepQuestion {
  readonly query: RecordingQuery;
  /** The revision up to which the requests were read. Undefined at the beginning. */
  readonly after?: number | undefined;
}

export interface RecordingStep {
  readonly requests: readonly RecordedRequest[];
  /** The time at which the recording begins. */
  readonly from: string;
  /** The revision of the next step. Undefined after the last one. */
  readonly next: number | undefined;
}

export interface ClusterRecordingRpc {
  recordRequests(question: RecordingStepQuestion): Promise<StateRefusal | ({ readonly ok: true } & RecordingStep)>;
}
