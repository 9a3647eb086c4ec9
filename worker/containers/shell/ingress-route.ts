// What an ingress controller asks the cluster about a request, and what it is told.

export interface IngressAsked {
  /** As the client named it, without a port. */
  readonly host: string;
  /** With its query. */
  readonly path: string;
  readonly isTls: boolean;
  readonly atMs: number;
}

export type IngressRoute =
  /** One of the ready endpoints, the path that it is asked for, and what the access log calls it. */
  | {
      readonly kind: "backend";
      readonly address: string;
      readonly port: number;
      readonly path: string;
      readonly name: string;
    }
  | { readonly kind: "redirect"; readonly status: 301 | 302 | 308; readonly location: string }
  /** No Ingress has the host or the path. */
  | { readonly kind: "unknown" }
  /** It leads to a Service that is not there, or has nothing ready. */
  | { readonly kind: "unavailable" };
