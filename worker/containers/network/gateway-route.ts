// What a gateway asks the cluster about a request, and what it is told.
import type { Headers } from "../../../shared/k8s/outbound-call.ts";

export interface GatewayAsked {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
  /** As the client named it, without a port. */
  readonly host: string;
  readonly method: string;
  /** With its query. */
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
      /** In place of the one that was asked for. */
      readonly host?: string;
      readonly request: readonly HeaderChanges[];
      readonly response: readonly HeaderChanges[];
    }
  | { readonly kind: "redirect"; readonly status: number; readonly location: string }
  /** Nothing fits, or what fits leads to nothing. */
  | { readonly kind: "failed"; readonly status: 404 | 500 | 503 };

export interface GatewayAnswered {
  readonly route: GatewayRoute;
  readonly isTls: boolean;
}
