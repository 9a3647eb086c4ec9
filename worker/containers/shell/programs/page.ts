// A page that a server in a container answers with, and the request that it answers.
import type { Headers as Pairs } from "../../../../shared/k8s/outbound-call.ts";
import type { ShownCertificate } from "../../../../shared/k8s/port-request.ts";
import type { Edit, Files } from "../files.ts";
import type { GatewayAnswered, GatewayAsked, GatewayCertificate } from "../gateway-route.ts";
import type { IngressAsked, IngressRoute } from "../ingress-route.ts";
import type { Contact, Protocol, Reached } from "../process.ts";

export interface Page {
  readonly contentType: string;
  readonly body: string;
  /** What the server calls itself in its head. */
  readonly product?: string;
  /** Where it is another than the visit's. */
  readonly status?: number;
  readonly headers?: Pairs;
  /** How long it takes; Infinity: it is never answered. */
  readonly tookMs?: number;
  readonly certificate?: ShownCertificate;
  /** The same visit may be answered otherwise at the next moment. */
  readonly isPassing?: true;
  /** It is given over TLS alone. */
  readonly isTls?: true;
  /** What the visit does to the server's container. */
  readonly edits?: readonly PageEdit[];
}

export interface PageEdit extends Omit<Edit, "atMs"> {
  /** What the same visit would leave at another moment, where that is another text: the line of a log, which tells the time. */
  readonly textAt?: (atMs: number) => string;
}

/** What a visit left at a moment. */
export function dated({ textAt: _, ...edit }: PageEdit, atMs: number): Edit {
  return { atMs, ...edit };
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
  /** TCP, if it is not said. */
  readonly protocol?: Protocol;
  /** What is sent, where it is no request of HTTP. */
  readonly data?: string;
  /** Who asks; a proxy of the API, if it is not said. */
  readonly from?: string;
  readonly nowMs: number;
  /** The container's image, for servers of which nothing is known. */
  readonly image: string;
  /** Opens a connection from the server's pod; absent where no network is known. */
  readonly reach?: ((contact: Contact) => Reached) | undefined;
  /** Where an ingress controller sends a request; absent where no cluster is known. */
  readonly route?: ((asked: IngressAsked) => IngressRoute) | undefined;
  /** The certificate that an ingress controller shows. */
  readonly certificate?: ((serverName: string | undefined) => ShownCertificate | undefined) | undefined;
  /** Where a gateway sends a request, and what its listener shows over TLS. */
  readonly gateway?: ((asked: GatewayAsked) => GatewayAnswered) | undefined;
  readonly gatewayCertificate?: GatewayCertificate | undefined;
  /** What a Prometheus of the cluster scrapes; absent where no cluster is known. */
  readonly scrapes?: (() => readonly Scrape[]) | undefined;
  /** Over TLS: the name that was asked for. */
  readonly serverName?: string;
  /** Whether the visitor speaks TLS, where that is known. */
  readonly isTls?: boolean | undefined;
  /** The address behind a name, as the server's pod finds it; absent where no names are known. */
  readonly resolve?: ((host: string) => string | undefined) | undefined;
  /** Lines of the server's log that are kept, in the order of time. */
  readonly recent?: (() => readonly Edit[]) | undefined;
  /** Runs a script in the server's container; absent where none can be run. */
  readonly run?: ((script: string) => Ran) | undefined;
}

/** A target of Prometheus. */
export interface Scrape {
  readonly job: string;
  readonly namespace: string;
  readonly service: string;
  readonly pod: string;
  /** The port's name. */
  readonly endpoint: string;
  /** Address and port. */
  readonly instance: string;
  readonly url: string;
  readonly isUp: boolean;
}

export interface Ran {
  readonly text: string;
  readonly exitCode: number;
  readonly edits: readonly Edit[];
}

/** A server that knows what it was started with: its name with the words. */
export function serverWith(name: string, words: readonly string[]): string {
  return words.length === 0 ? name : `${name}\n${JSON.stringify(words)}`;
}

export function serverParts(server: string): { readonly name: string; readonly words: readonly string[] } {
  const end = server.indexOf("\n");
  // `serverWith` wrote it.
  return end < 0
    ? { name: server, words: [] }
    : { name: server.slice(0, end), words: JSON.parse(server.slice(end + 1)) as string[] };
}
