// What becomes of a request before it is a page.
import type { Headers } from "../../../../shared/k8s/outbound-call.ts";
import type { Problem } from "./logs.ts";

/** What becomes of a request in a location. */
export interface Found {
  readonly status: number;
  readonly contentType?: string;
  /** Absent: the page that nginx has for the status. */
  readonly body?: string;
  readonly headers?: Headers;
  readonly tookMs?: number;
  /** It came from another server. */
  readonly isOthers?: boolean;
  /** A page for the error stands in its place, if there is one. */
  readonly isIntercepted?: boolean;
  /** Lines for the log of errors. */
  readonly problems?: readonly Problem[];
}
