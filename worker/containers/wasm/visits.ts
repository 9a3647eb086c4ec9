// Requests to a program's own server. Each request is an input of the server's run, like a file that another container changes. The run is computed
// again with the request, and the result is the answer, the log, the files and the program's state.
import type { PortRequest } from "../../../shared/k8s/port-request.ts";
import type { Headers } from "../../../shared/k8s/outbound-call.ts";
import type { Edit } from "../shell/files.ts";
import type { RecordedCall } from "./visit-calls.ts";
import { plainPage, type Server } from "../shell/server.ts";

/** The server of a program whose own code answers. The run is computed again with each visit: see `Trace.visited`. */
export const programServer: Server = { answer: plainPage, needsNetwork: true };

/** An edit of this path is a visit. */
export const visitPath = "/proc/1/visit";

export interface ProgramVisit extends Pick<PortRequest, "method" | "path" | "headers" | "body"> {
  readonly id: string;
  readonly port: number;
  /** The client's address. */
  readonly from: string;
  /** The connections that the server opened for the visit; undefined before the visit is answered. */
  readonly calls?: readonly RecordedCall[];
}

export interface VisitAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
  readonly atMs: number;
  /** Whether the answer may change with time, because the server read its clock or a random number. */
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

/** Parses an edit that `visitEdit` wrote. */
export function visitOf(edit: Edit): ProgramVisit {
  return JSON.parse(edit.text ?? "") as ProgramVisit;
}

const visitIds = new WeakMap<Edit, string>();
/** The number of characters of a visit that are read for a unit of work. */
const charactersPerUnit = 100;

/** Returns the id of the visit of an edit, which is read once. `account`: receives the units of work. */
export function visitIdOf(edit: Edit, account: (work: number) => void = () => undefined): string {
  const knownId = visitIds.get(edit);
  if (knownId !== undefined) return knownId;
  account((edit.text?.length ?? 0) / charactersPerUnit);
  const { id } = visitOf(edit);
  visitIds.set(edit, id);
  return id;
}
