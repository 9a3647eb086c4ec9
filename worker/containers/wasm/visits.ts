// Requests that reach a program's own server. Each is an input of its run, as a file that others change is: the run is worked out again
// with it, and what the server does for it, its answer, its log, its files and what it remembers, follows.
import type { PortRequest } from "../../../shared/k8s/port-request.ts";
import type { Headers } from "../../../shared/k8s/outbound-call.ts";
import type { Edit } from "../shell/files.ts";
import type { RecordedCall } from "./visit-calls.ts";
import { plainPage, type Server } from "../shell/server.ts";

/** The server of a program whose own code answers: the run is worked out again with each visit, see `Trace.visited`. */
export const programServer: Server = { answer: plainPage, needsNetwork: true };

/** An edit of this path is a visit. */
export const visitPath = "/proc/1/visit";

export interface ProgramVisit extends Pick<PortRequest, "method" | "path" | "headers" | "body"> {
  readonly id: string;
  readonly port: number;
  /** The visitor's address. */
  readonly from: string;
  /** The connections that the server opened for the visit; undefined before it was answered. */
  readonly calls?: readonly RecordedCall[];
}

export interface VisitAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
  readonly atMs: number;
  /** The answer may be another at another time: the server looked at its clock, or drew a number. */
  readonly isPassing: boolean;
}

const probePrefix = "probe/";

/** Returns the id of a visit by a kubelet's probe. */
export function probeVisitId(atMs: number): string {
  return probePrefix + atMs;
}

/** Reports whether a visit is that of a probe: what a server prints for it is not recorded with its log. */
export function isProbe(visitId = ""): boolean {
  return visitId.startsWith(probePrefix);
}

export function visitEdit(visit: ProgramVisit): Omit<Edit, "atMs"> {
  return { path: visitPath, text: JSON.stringify(visit), appends: true };
}

/** `visitEdit` wrote it. */
export function visitOf(edit: Edit): ProgramVisit {
  return JSON.parse(edit.text ?? "") as ProgramVisit;
}
