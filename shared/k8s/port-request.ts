// A request to a port of a container, in HTTP or as a RESP command, and its answer. Bodies that are no text are encoded by `textOfBytes`.
import type { Headers } from "./outbound-call.ts";

export interface PortRequest {
  readonly method: string;
  /** The path with its query. */
  readonly path: string;
  readonly headers: Headers;
  readonly body: string;
  /** The name that a TLS client sends (SNI); undefined if it sends none. */
  readonly serverName?: string;
  /** Whether the client speaks TLS; undefined if that is not known. */
  readonly isTls?: boolean;
  /** The command of a client that speaks RESP. */
  readonly command?: readonly string[];
}

export interface PortAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly headers?: Headers;
  readonly body: string;
  /** Milliseconds until the answer is sent; Infinity: never. Default: 0. */
  readonly tookMs?: number;
  /** Whether the answer is sent over TLS alone. */
  readonly isTls?: true;
  /** Whether the server also speaks TLS, as far as is known. */
  readonly mayBeTls?: true;
  /** The protocol that the program speaks. Default: HTTP. */
  readonly language?: string;
}

/** An answer, with facts about the program behind the port. */
export interface ServerAnswer extends PortAnswer {
  /** The name of the product in the `Server` header. */
  readonly product?: string;
  /** The certificate that the server presents over TLS; undefined if none is known. */
  readonly certificate?: ShownCertificate;
  /** Whether the server accepts connections but does not speak HTTP. */
  readonly isMute?: true;
  /** Whether the head says that the server keeps the connection. */
  readonly keepsAlive?: true;
  /** Whether the server answers any text, not only HTTP requests. */
  readonly isRaw?: true;
}

/** The fields of a server's certificate that a client reads. Names are written as OpenSSL does: `CN=a.example, O=Acme`. */
export interface ShownCertificate {
  readonly subject: string;
  readonly issuer: string;
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  /** The DNS names and addresses; the common name if there are no DNS names. */
  readonly names: readonly string[];
  /** "" for a certificate that is not stored in any object. */
  readonly pem: string;
}
