// The interface of a server in a container, with the requests that it receives and the pages that it returns.
import type { Headers as Pairs } from "../../../shared/k8s/outbound-call.ts";
import type { PortRequest, ShownCertificate } from "../../../shared/k8s/port-request.ts";
import type { ReconcileContext } from "../../runtime/controller.ts";
import type { Contact, Protocol, Reached } from "./contact.ts";
import type { Edit, Files } from "./files.ts";

/** The server that a program registers when it begins to listen. Other files compare servers by identity and call only this interface. */
export interface Server {
  answer(visit: Visit): Page;
  /** Whether the answers need the network, because the server sends requests of its own or logs the client. */
  readonly needsNetwork?: true;
  /** Returns the next time at which the answers change without a request; Infinity if they do not. */
  changesMs?(ports: ReadonlyMap<number, number>, nowMs: number): number;
}

export interface Page {
  readonly contentType: string;
  readonly body: string;
  /** The value of the `Server` header. */
  readonly product?: string;
  /** Default: 200. */
  readonly status?: number;
  readonly headers?: Pairs;
  /** The time that the answer takes; Infinity if it is never given. */
  readonly tookMs?: number;
  readonly certificate?: ShownCertificate;
  /** Whether the answer is given only over TLS. */
  readonly isTls?: true;
  /** Whether the same request may have another answer at the next moment. */
  readonly isPassing?: true;
  /** Whether the server listens without speaking HTTP: the connection is open, and nothing comes back. */
  readonly isMute?: true;
  /** Whether the server answers any text, not only HTTP requests. */
  readonly isRaw?: true;
  /** Whether the server may also speak TLS. */
  readonly mayBeTls?: true;
  /** Whether the response has the header `Connection: keep-alive`. */
  readonly keepsAlive?: true;
  /** The protocol of the server; default: HTTP. */
  readonly language?: string;
  /** The changes that the visit makes in the server's container. */
  readonly edits?: readonly PageEdit[];
}

export interface PageEdit extends Omit<Edit, "atMs"> {
  /** Returns the text of the same visit at another time, if the text contains the time. */
  readonly textAt?: (atMs: number) => string;
}

/** Adds the time of the visit to an edit. */
export function dated({ textAt: _, ...edit }: PageEdit, atMs: number): Edit {
  return { atMs, ...edit };
}

export interface Visit extends PortRequest {
  readonly files: Files;
  readonly host: string;
  /** The address of the server's pod. */
  readonly address: string;
  /** The port of the request; default: 80. */
  readonly port?: number;
  /** The time since which the server listens at the port. */
  readonly sinceMs?: number;
  /** The bytes of a client that does not speak HTTP, and the protocol; default: TCP. */
  readonly data?: string;
  readonly protocol?: Protocol;
  /** The client's address; undefined for a proxy of the API. */
  readonly from?: string;
  readonly nowMs: number;
  /** Distinguishes the visit from equal ones at the same time. */
  readonly number?: number;
  /** The container's image. */
  readonly image: string;
  /** Opens a connection from the server's pod; undefined if no network is known. */
  readonly reach?: ((contact: Contact) => Reached) | undefined;
  /** Reads the cluster's objects, as a controller in a container does; undefined if no cluster is known. */
  readonly cluster?: ClusterReader | undefined;
  /** Charges the client for units of the server's work. */
  readonly pays?: ((units: number) => void) | undefined;
  /** Resolves a name as the server's pod does; undefined if no names are known. */
  readonly resolve?: ((host: string) => string | undefined) | undefined;
  /** Returns the stored lines of the server's log, in the order of time. */
  readonly recent?: (() => readonly Edit[]) | undefined;
  /** Runs a script in the server's container; undefined if that is not possible. */
  readonly run?: ((script: string) => Ran) | undefined;
}

export interface ClusterReader {
  readonly client: ReconcileContext["client"];
  pays(units: number): void;
  /** Reports whether the client's budget is spent, so that the server reads nothing more. */
  isSpent(): boolean;
}

export interface Ran {
  readonly text: string;
  readonly exitCode: number;
  readonly edits: readonly Edit[];
}

/** Returns the page of a server that accepts the connection and does not speak HTTP: it never answers a request. */
export function acceptWithoutAnswer(visit: Visit): Page {
  return { ...plainPage(visit), isMute: true };
}

/** Returns the answer of an unknown server. */
export function plainPage({ image, method, path }: Visit): Page {
  const body = `${image} answers ${method === "GET" ? "" : `${method} `}${path}\n`;
  return { contentType: "text/plain; charset=utf-8", body };
}
