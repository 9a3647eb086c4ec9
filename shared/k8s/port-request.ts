// A request to a port of a container, in HTTP or as a RESP command, and its answer. Bodies that are no text stand as `textOfBytes` has them.
import type { Headers } from "./outbound-call.ts";

export interface PortRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: Headers;
  readonly body: string;
  /** Over TLS: the name that the client has asked for (SNI); absent where it asked for an address. */
  readonly serverName?: string;
  /** Whether the client speaks TLS; absent where that is not known. */
  readonly isTls?: boolean;
  /** A command, from a client that speaks RESP. */
  readonly command?: readonly string[];
}

export interface PortAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly headers?: Headers;
  readonly body: string;
  /** Milliseconds after which it is given; Infinity: never. Absent: at once. */
  readonly tookMs?: number;
  /** It is given over TLS alone. */
  readonly isTls?: true;
  /** The server speaks TLS as well, as far as is known. */
  readonly mayBeTls?: true;
  /** The protocol that the program speaks; absent: HTTP. */
  readonly language?: string;
}

/** What the program behind the port knows of its answer besides. */
export interface ServerAnswer extends PortAnswer {
  /** What it calls itself in its head. */
  readonly product?: string;
  /** The one that it has shown, over TLS; absent where nothing is known of it. */
  readonly certificate?: ShownCertificate;
  /** It listens, but does not speak HTTP. */
  readonly isMute?: true;
  /** The head says that the server keeps the connection. */
  readonly keepsAlive?: true;
  /** The server answers any text, not only requests of HTTP. */
  readonly isRaw?: true;
}

/** What a client reads of a server's certificate. Names are written as OpenSSL does: `CN=a.example, O=Acme`. */
export interface ShownCertificate {
  readonly subject: string;
  readonly issuer: string;
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  /** DNS names, with the common name where there are none, and addresses. */
  readonly names: readonly string[];
  /** "" for one that stands in no object. */
  readonly pem: string;
}
