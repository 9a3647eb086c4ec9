// Connections that processes open, and their results.
import type { ServerAnswer, PortRequest } from "../../../shared/k8s/port-request.ts";

export type Protocol = "TCP" | "UDP" | "SCTP";

/** Returns the key of a port in a map of listeners. Each protocol has its own ports. */
export function portKey(port: number, protocol: Protocol = "TCP"): number {
  return port + { TCP: 0, UDP: 100_000, SCTP: 200_000 }[protocol];
}

/** A connection that a process opens, with its request. Without a request the connection is only opened. */
export interface Contact {
  readonly address: string;
  readonly port: number;
  readonly atMs: number;
  /** Default: TCP. */
  readonly protocol?: Protocol;
  readonly request?: PortRequest;
  /** The bytes of a client that does not speak HTTP. */
  readonly data?: string;
  /** Receives the units of work that computing the result takes. */
  readonly pays?: (units: number) => void;
}

export interface Reached {
  /** `open`: something listens and sends nothing. `dropped`: nothing comes back. `unreachable`: no host has the address. */
  readonly kind: "answered" | "open" | "outside" | "refused" | "dropped" | "unreachable";
  /** The response, if the kind is `answered`. */
  readonly answer?: ServerAnswer;
  /** The time that the server takes; Infinity if it never answers. */
  readonly tookMs?: number | undefined;
  /** The time after which the result may change, if that is known, and the object that would change it. */
  readonly validUntilMs?: number;
  /** Whether the request changed data of the server. */
  readonly changesData?: boolean;
  readonly waitsFor?: string;
  /** The Service whose address was used: `service/<namespace>/<name>`. */
  readonly through?: string;
  /** The keys of what the server asked for its answer, in the form of `waitsFor`. */
  readonly dependsOn?: readonly string[];
}
