// Connections that processes open: where they go, and what comes of them.
import type { ServerAnswer, PortRequest } from "../../../shared/k8s/port-request.ts";

export type Protocol = "TCP" | "UDP" | "SCTP";

/** A port as it is kept among those that something listens on: each protocol has its own. */
export function portKey(port: number, protocol: Protocol = "TCP"): number {
  return port + { TCP: 0, UDP: 100_000, SCTP: 200_000 }[protocol];
}

/** A connection that a process opens, and what it asks on it; without a request it is only opened. */
export interface Contact {
  readonly address: string;
  readonly port: number;
  readonly atMs: number;
  /** TCP, if it is not said. */
  readonly protocol?: Protocol;
  readonly request?: PortRequest;
  /** The text that is sent, if it is no request of HTTP. */
  readonly data?: string;
  /** Told of the units of work that finding it out takes. */
  readonly pays?: (units: number) => void;
}

export interface Reached {
  /** `open`: something listens, and says nothing. `dropped`: nothing comes back, `unreachable`: nobody has the address. */
  readonly kind: "answered" | "open" | "outside" | "refused" | "dropped" | "unreachable";
  /** The response, if the kind is `answered`. */
  readonly answer?: ServerAnswer;
  /** How long the server takes for it; Infinity: it never answers. */
  readonly tookMs?: number | undefined;
  /** When it may be otherwise, if that is known, and what would make it so. */
  readonly newsMs?: number;
  /** The request changed data of the server. */
  readonly changesData?: boolean;
  readonly waitsFor?: string;
  /** The Service by whose address it was reached: `service/<namespace>/<name>`. */
  readonly through?: string;
  /** The keys of what the server asked for its answer, in the form of `waitsFor`. */
  readonly onward?: readonly string[];
}
