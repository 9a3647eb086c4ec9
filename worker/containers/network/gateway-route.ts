// The messages between a gateway's container and the cluster: a request to route, and its route.
import type { Headers } from "../../../shared/k8s/outbound-call.ts";

export interface GatewayRequest {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
  /** The host as the client named it, without a port. */
  readonly host: string;
  readonly method: string;
  /** The path with its query. */
  readonly path: string;
  readonly headers: Headers;
  readonly from: string;
  readonly atMs: number;
}

export interface HeaderChanges {
  readonly set: Headers;
  readonly add: Headers;
  readonly remove: readonly string[];
}

export type GatewayRoute =
  | {
      readonly kind: "backend";
      readonly address: string;
      readonly port: number;
      readonly path: string;
      /** Replaces the host of the request. */
      readonly host?: string;
      readonly request: readonly HeaderChanges[];
      readonly response: readonly HeaderChanges[];
    }
  | { readonly kind: "redirect"; readonly status: number; readonly location: string }
  /** No route matches, or the matching route has no usable target. */
  | { readonly kind: "failed"; readonly status: 404 | 500 | 503 };

export interface GatewayAnswer {
  readonly route: GatewayRoute;
  readonly isTls: boolean;
}
