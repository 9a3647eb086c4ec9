// What the Worker is bound to: see wrangler.toml.
import type { ClusterObject } from "./cluster/object.ts";

export interface Env {
  readonly CLUSTERS: DurableObjectNamespace<ClusterObject>;
  readonly DB: D1Database;
  /** The built console. */
  readonly ASSETS: Fetcher;
  /** The root of every id and token; a secret. */
  readonly SANDBAR_SECRET: string;
  /** The base URL that kubeconfigs point at; default: the origin of the request. */
  readonly SANDBAR_SERVER?: string;
  /** The certificate authority of that URL, as PEM, if no public one signed it. */
  readonly SANDBAR_CA?: string;
  /**
   * A run on the user's own machine has it: Node, which makes https requests as their questions say (`DirectQuestion`). There private
   * addresses may be asked, and the authorities that a question brings are honoured.
   */
  readonly OUTSIDE?: Fetcher;
  /**
   * The header in which a proxy before the Worker tells the client's certificate (`Client-Cert` of RFC 9440, or DER as base64). The proxy
   * must take it off what clients send themselves. Where the platform tells the certificate, that counts instead.
   */
  readonly SANDBAR_CLIENT_CERTIFICATE_HEADER?: string;
  /** `zero`: simulated kubelets do everything at once. For CI and benchmarks. */
  readonly SANDBAR_KUBELET_DELAYS?: string;
}
