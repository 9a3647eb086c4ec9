// A server in a container: what answers at its ports, the request that it answers and the page that it answers with.
import type { Headers as Pairs } from "../../../shared/k8s/outbound-call.ts";
import type { PortRequest, ShownCertificate } from "../../../shared/k8s/port-request.ts";
import type { ReconcileContext } from "../../runtime/controller.ts";
import type { Contact, Protocol, Reached } from "./contact.ts";
import type { Edit, Files } from "./files.ts";

/** The server that a program hands over when it begins to listen. Other files compare servers by identity and call only this interface. */
export interface Server {
  answer(visit: Visit): Page;
  /** The answers need the network: the server asks others for its visitor, or notes who asked. */
  readonly needsNetwork?: true;
  /** Returns when the answers change by themselves; Infinity if they do not. */
  changesMs?(ports: ReadonlyMap<number, number>, nowMs: number): number;
}

export interface Page {
  readonly contentType: string;
  readonly body: string;
  /** The name of the server in its head. */
  readonly product?: string;
  /** 200 if absent. */
  readonly status?: number;
  readonly headers?: Pairs;
  /** The time that the answer takes; Infinity: it is never given. */
  readonly tookMs?: number;
  readonly certificate?: ShownCertificate;
  /** The answer is given over TLS alone. */
  readonly isTls?: true;
  /** The same visit may be answered otherwise at the next moment. */
  readonly isPassing?: true;
  /** The server listens and does not speak HTTP: the connection is open, and nothing comes back. */
  readonly isMute?: true;
  /** The server answers any text, not only requests of HTTP. */
  readonly isRaw?: true;
  /** The server speaks TLS as well, as far as is known. */
  readonly mayBeTls?: true;
  /** The head says that the server keeps the connection. */
  readonly keepsAlive?: true;
  /** The protocol that the server speaks; absent: HTTP. */
  readonly language?: string;
  /** The changes that the visit makes in the server's container. */
  readonly edits?: readonly PageEdit[];
}

export interface PageEdit extends Omit<Edit, "atMs"> {
  /** The text that the same visit would leave at another moment, if the text tells the time. */
  readonly textAt?: (atMs: number) => string;
}

/** Returns an edit that a visit left at a moment. */
export function dated({ textAt: _, ...edit }: PageEdit, atMs: number): Edit {
  return { atMs, ...edit };
}

export interface Visit extends PortRequest {
  readonly files: Files;
  readonly host: string;
  /** The address of the server's pod. */
  readonly address: string;
  /** The port that was asked; 80 if absent. */
  readonly port?: number;
  /** The time since which the server listens at the port. */
  readonly sinceMs?: number;
  /** The text that was sent, if it is no request of HTTP, and the protocol; TCP if absent. */
  readonly data?: string;
  readonly protocol?: Protocol;
  /** The visitor's address, if it is no proxy of the API. */
  readonly from?: string;
  readonly nowMs: number;
  /** Tells the visit from others with the same words at the same moment. */
  readonly number?: number;
  /** The container's image. */
  readonly image: string;
  /** Opens a connection from the server's pod; absent if no network is known. */
  readonly reach?: ((contact: Contact) => Reached) | undefined;
  /** Reads the cluster's objects, as a controller in a container does; absent if no cluster is known. */
  readonly cluster?: ClusterReader | undefined;
  /** Receives the units of work that the server does for the visitor. */
  readonly pays?: ((units: number) => void) | undefined;
  /** Returns the address behind a name, as the server's pod resolves it; absent if no names are known. */
  readonly resolve?: ((host: string) => string | undefined) | undefined;
  /** Returns the lines of the server's log that are kept, in the order of time. */
  readonly recent?: (() => readonly Edit[]) | undefined;
  /** Runs a script in the server's container; absent if none can be run. */
  readonly run?: ((script: string) => Ran) | undefined;
}

export interface ClusterReader {
  readonly client: ReconcileContext["client"];
  pays(units: number): void;
  /** Reports whether the visitor's budget is spent: the server reads nothing more then. */
  isSpent(): boolean;
}

export interface Ran {
  readonly text: string;
  readonly exitCode: number;
  readonly edits: readonly Edit[];
}

/** The answer of a server that listens and does not speak HTTP. */
export function mutePage(visit: Visit): Page {
  return { ...plainPage(visit), isMute: true };
}

/** The answer of a server about whose answers nothing is known. */
export function plainPage({ image, method, path }: Visit): Page {
  const body = `${image} answers ${method === "GET" ? "" : `${method} `}${path}\n`;
  return { contentType: "text/plain; charset=utf-8", body };
}
