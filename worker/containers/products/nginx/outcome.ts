// The outcome of a request before it becomes a page.
import type { Headers } from "../../../../shared/k8s/outbound-call.ts";
import type { Problem } from "./logs.ts";

/** The outcome of a request in a location. */
export interface Outcome {
  readonly status: number;
  readonly contentType?: string;
  /** Undefined for nginx's own page for the status. */
  readonly body?: string;
  readonly headers?: Headers;
  readonly tookMs?: number;
  /** Whether the outcome comes from another server. */
  readonly isOthers?: boolean;
  /** Whether an error page replaces the outcome, if there is one. */
  readonly isIntercepted?: boolean;
  /** Lines for the error log. */
  readonly problems?: readonly Problem[];
}
