// What the API needs of the cluster it serves.
import type { UserInfo } from "../../shared/k8s/authorizer.ts";
import type { Directions } from "../../shared/contract/tunnel.ts";
import type {
  OutboundAnswer,
  OutsideAnswer,
  OutsideRequest,
  OutboundCall,
  ServiceAddress,
} from "../../shared/k8s/outbound-call.ts";
import type { Registry } from "../registry/registry.ts";
import type { Containers } from "./connect/containers.ts";
import type { Load } from "./filters/load.ts";

/** One of the sandbox's own tokens, or its client certificates together: what was opened with it ends with it. */
export interface Credential {
  readonly id: string;
  /** On the machine's clock; absent: with the sandbox. */
  readonly endsMs?: number | undefined;
}

export interface Identity {
  readonly user: UserInfo;
  /** What the client showed, where it is one of the sandbox's own tokens or certificates. */
  readonly credential?: Credential;
  /** A view token: get, list and watch of everything but Secrets. */
  readonly readOnly: boolean;
}

export interface ApiServer {
  readonly registry: Registry;
  /** Returns the registry as it was at a moment (a resource version or a time); throws `ApiError`. Absent: no past can be read. */
  at?(moment: string): Registry;
  /** The identity behind a bearer token, if it is one of this cluster's and has not expired. */
  authenticate(token: string): Identity | undefined;
  /** Who holds a client certificate (DER as base64) of this cluster's authority, if it is one that authenticates. */
  holderOf?(certificate: string): UserInfo | undefined;
  /** Whose tokens are accepted beside the cluster's own. */
  readonly issuers?: Issuers;
  /** Requests without credentials are let in. */
  readonly letsAnonymous?: boolean;
  /** The machine's clock: bounds and the sandbox's own tokens live by it, and everything in the cluster by `registry.clock`. */
  nowMs(): number;
  /** Returns when a moment of the cluster's clock comes on the machine's; Infinity while the cluster is paused. Absent: they are the same. */
  realMsOf?(clusterMs: number): number;
  /** What the cluster signs its service accounts' tokens with. */
  readonly key: TokenKey;
  /** What of the sandbox's limits is under way. */
  readonly load: Load;
  /** One synchronous turn, whose writes are stored together. */
  turn<T>(body: () => T): T;
  /** Lets others have their turn, in what takes several; absent where there are no others. */
  pause?(): Promise<void>;
  /** The order of this sandbox's turns among those of others; absent where there are no others. */
  readonly turns?: TurnOrder;
  /** Waits for what controllers do meanwhile; absent where they have done it. */
  wait?(ms: number): Promise<void>;
  /** Asks outside; never rejects. Absent where nobody can be asked. */
  ask?(call: OutboundCall): Promise<OutboundAnswer>;
  /** The same for what is proxied. */
  send?(request: OutsideRequest): Promise<OutsideAnswer>;
  /** What is proxied by the edge, since it may go on and on; absent where there is no edge. */
  readonly relay?: Relay;
  /** Tunnels to who serves a Service; absent where there are no sockets. */
  readonly tunnels?: Tunnels;
  /** What runs in the cluster's containers; absent where nothing does. */
  readonly containers?: Containers;
  /** Live watches; absent where there are no sockets. */
  readonly sockets?: WatchSockets;
  /** Reads of this project's own, by API version, resource and the last part of the path: `v1/pods/scheduling`. */
  readonly ownReads?: Readonly<Record<string, OwnRead>>;
  /** Told of bugs. */
  report(error: unknown, where: string): void;
}

/** The place of one sandbox among those that share a thread. */
export interface TurnOrder {
  /** Resolves when the sandbox may have its next turn. Undefined: at once. */
  next(): Promise<void> | undefined;
  /** Runs something synchronous and charges the sandbox for the time that it took. */
  measure<T>(body: () => T): T;
}

/** What is known of the object of that name; undefined where there is nothing to know. Throws `ApiError` where it is not there. */
export type OwnRead = (namespace: string, name: string) => object | undefined;

/** A key of its own for each cluster, for JSON web tokens. */
export interface TokenKey {
  sign(claims: object): string;
  /** The claims of a token that this key has signed. */
  verify(token: string): Readonly<Record<string, unknown>> | undefined;
  /** The public half, as a JSON web key. */
  jwk(): object;
}

/** OpenID Connect issuers that the sandbox was told of. */
export interface Issuers {
  /** Undefined for a token of none of them; throws an ApiError that says why one of theirs is no good. */
  authenticate(token: string): Promise<UserInfo | undefined>;
}

/** How the edge passes a request on to someone outside. */
export interface Relay {
  /** Undefined where it goes nowhere; `send` says why. */
  way(request: OutsideRequest): Directions | undefined;
  /** Sends it through a tunnel. Returns the 101 answer for the pieces; undefined where there is no tunnel. */
  join(request: OutsideRequest, credential: Credential | undefined): Response | undefined;
  /** The server behind the Service did not answer. */
  failed(service: ServiceAddress): void;
}

/** Where those come in who serve a Service from elsewhere. */
export interface Tunnels {
  /** Accepts a socket for a Service. Returns the 101 answer. */
  open(namespace: string, name: string, credential: Credential | undefined): Response;
}

/** Where a watch joins what is live. */
export interface WatchSockets {
  /** Throws 429 where no further one may be opened. */
  requireRoom(): void;
  /** Accepts a socket that is complete up to `revision`; `catchUp` is sent first. Returns the 101 answer. */
  join(spec: string, revision: number, catchUp: string, credential: Credential | undefined): Response;
  /** A lifeline: see `internalHeaders.lifeline`. Returns the 101 answer. */
  hold(credential: Credential | undefined): Response;
}
