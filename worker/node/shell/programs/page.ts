// A page that a server in a container answers with, and the request that it answers.
import type { Headers as Pairs } from "../../../../shared/k8s/outbound-call.ts";
import type { Files } from "../files.ts";

export interface Page {
  readonly contentType: string;
  readonly body: string;
  /** What the server calls itself in its head. */
  readonly product?: string;
  /** Where it is another than the visit's. */
  readonly status?: number;
  readonly headers?: Pairs;
}

export interface Visit {
  readonly server: string;
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: Pairs;
  readonly body: string;
  readonly status: number;
  readonly files: Files;
  readonly host: string;
  /** The pod's. */
  readonly address: string;
  /** The one that was asked; 80 if it is not said. */
  readonly port?: number;
  /** Who asks; a proxy of the API, if it is not said. */
  readonly from?: string;
  readonly nowMs: number;
  /** The container's image, for servers of which nothing is known. */
  readonly image: string;
}
