// The dependencies of the API on the cluster that it serves.
import type { AuditDecision, AuditedRequest } from "../../shared/k8s/audit/policy.ts";
import type { UserInfo } from "../../shared/k8s/authorizer.ts";
import type { Directions, TunnelCall } from "../../shared/contract/tunnel.ts";
import type {
  Headers as Pairs,
  OutboundAnswer,
  OutsideAnswer,
  OutsideRequest,
  OutboundCall,
  ServiceAddress,
} from "../../shared/k8s/outbound-call.ts";
import type { Registry } from "../registry/registry.ts";
import type { Containers } from "./connect/containers.ts";
import type { Faults } from "./faults.ts";
import type { Load } from "./filters/load.ts";
import type { HeaderList } from "./negotiation/answer-headers.ts";

/** A token of the sandbox, or all its client certificates. When it is revoked, everything opened with it ends. */
export interface Credential {
  readonly id: string;
  /** The end of validity on the machine's clock. Undefined: the end of the sandbox. */
  readonly endsMs?: number | undefined;
}

export interface Identity {
  readonly user: UserInfo;
  /** The credential of the client, if it is a token or certificate of the sandbox. */
  readonly credential?: Credential;
  /** Whether the credential is a view token: get, list and watch of everything but Secrets. */
  readonly readOnly: boolean;
}

export interface ApiServer {
  readonly registry: Registry;
  /** Returns the registry as of a moment (a resource version or a time). Throws `ApiError`. Undefined: past states cannot be read. */
  at?(moment: string): Registry;
  /** Returns the identity of a bearer token of this cluster that has not expired. */
  authenticate(token: string): Identity | undefined;
  /** Returns the user of a client certificate (DER as base64) that this cluster's authority signed for authentication. */
  holderOf?(certificate: string): UserInfo | undefined;
  /** The external token issuers. */
  readonly issuers?: Issuers;
  /** Whether requests without credentials are accepted as anonymous. */
  readonly letsAnonymous?: boolean;
  /** The machine's clock, for limits and the sandbox's own tokens. Everything in the cluster uses `registry.clock`. */
  nowMs(): number;
  /** Converts a time of the cluster's clock to the machine's. Infinity while the cluster is paused. Undefined: both clocks are equal. */
  realMsOf?(clusterMs: number): number;
  /** The key that signs service account tokens. */
  readonly key: TokenKey;
  /** The usage of the sandbox's limits. */
  readonly load: Load;
  /** Runs one synchronous turn, whose writes are stored together. */
  turn<T>(body: () => T): T;
  /** Lets other work run between the turns of a long request. Undefined: there is no other work. */
  pause?(): Promise<void>;
  /** Orders this sandbox's turns among those of other sandboxes. Undefined: there are no others. */
  readonly turns?: TurnOrder;
  /** Waits while controllers run. Undefined: they have already run. */
  wait?(ms: number): Promise<void>;
  /** Makes an outbound call. Never rejects. Undefined if outbound calls are impossible. */
  ask?(call: OutboundCall): Promise<OutboundAnswer>;
  /** Sends a proxied request. */
  send?(request: OutsideRequest): Promise<OutsideAnswer>;
  /** Forwards requests through the edge, since their responses may be unbounded. Undefined if there is no edge. */
  readonly relay?: Relay;
  /** The tunnels to the servers of Services. Undefined if there are no sockets. */
  readonly tunnels?: Tunnels;
  /** Renews the measurements of machines that are nodes. Undefined: none is due. Never rejects. */
  measure?(): Promise<void> | undefined;
  /** The registry of the present, if `registry` is one of the past. */
  readonly present?: Registry;
  /** The container runtime. Undefined if no containers run. */
  readonly containers?: Containers;
  /** The live watches. Undefined if there are no sockets. */
  readonly sockets?: WatchSockets;
  /** Additional reads of this project, by API version, resource and last path segment: `v1/pods/scheduling`. */
  readonly ownReads?: Readonly<Record<string, OwnRead>>;
  /** Returns the address at which nobody answers, because the control plane does not run. Undefined: it runs. */
  downAt?(): string | undefined;
  /** Returns the audit log that the API server's flags name. Undefined: there is none. */
  audit?(): AuditSink | undefined;
  /** The faults that are injected. Undefined if none can be. */
  readonly faults?: Faults | undefined;
  /** The headers that are added to every response but those of sockets. Undefined: none. The same list for all requests. */
  readonly fixedHeaders?: HeaderList;
  /** Returns the audit id of a request (`GET /api`) that brings none. Undefined: a random one. */
  newAuditId?(request: string): string;
  /** Reports a bug. */
  report(error: unknown, where: string): void;
}

/** The audit log of an API server with an audit policy. */
export interface AuditSink {
  decide(request: AuditedRequest): AuditDecision;
  /** Appends events, each as JSON. */
  write(atMs: number, events: readonly string[]): void;
}

/** The position of one sandbox among those that share a thread. */
export interface TurnOrder {
  /** Resolves when the sandbox may run its next turn. Undefined: at once. */
  next(): Promise<void> | undefined;
  /** Runs a synchronous function and charges its time to the sandbox. */
  measure<T>(body: () => T): T;
}

/** Reads additional information about an object; undefined if there is none. Throws `ApiError` if the object does not exist. */
export type OwnRead = (namespace: string, name: string) => object | undefined;

/** The key of a cluster for JSON web tokens. */
export interface TokenKey {
  sign(claims: object): string;
  /** Returns the claims of a token that this key has signed. */
  verify(token: string): Readonly<Record<string, unknown>> | undefined;
  /** Returns the public key as a JSON web key. */
  jwk(): object;
}

/** The OpenID Connect issuers that the sandbox is configured with. */
export interface Issuers {
  /** Returns the user of a token; undefined if no issuer has issued it. Throws an ApiError with the reason if a token is invalid. */
  authenticate(token: string): Promise<UserInfo | undefined>;
}

/** Forwards requests through the edge to servers outside. */
export interface Relay {
  /** Returns the directions for the edge; undefined if the request cannot be forwarded. Then `send` has the reason. */
  way(request: OutsideRequest): Directions | undefined;
  /** Sends a request through a tunnel. Returns the 101 response for its parts; undefined if there is no tunnel. */
  join(request: OutsideRequest, credential: Credential | undefined): Response | undefined;
  /** Records that the server behind the Service did not respond. */
  failed(service: ServiceAddress): void;
}

/** A request to the kubelet of a machine, without its id. */
export type KubeletCall = Omit<TunnelCall, "id">;

/** Accepts tunnels of external servers of Services, and of machines that are nodes. */
export interface Tunnels {
  /** Accepts a socket for a Service. Returns the 101 response. */
  open(namespace: string, name: string, credential: Credential | undefined): Response;
  /** Accepts a socket for a node's kubelet. Returns the 101 response. */
  openForNode(name: string, credential: Credential | undefined): Response;
  hasNode(name: string): boolean;
  /** Returns a kubelet's complete response. Never rejects. */
  askNode(name: string, call: KubeletCall): Promise<KubeletAnswer>;
  /** Sends a request to a kubelet. Returns the 101 response for its parts; undefined if there is no tunnel. */
  streamNode(name: string, call: KubeletCall, credential: Credential | undefined): Response | undefined;
}

/** `error`: the reason of a missing response, worded as Go's HTTP client. */
export type KubeletAnswer =
  | { readonly status: number; readonly headers: Pairs; readonly body: Uint8Array }
  | { readonly error: string };

/** Accepts sockets of live watches. */
export interface WatchSockets {
  /** Throws 429 if no further watch may be opened. */
  requireQuota(): void;
  /** Accepts a socket of a watch that is complete up to `revision`. `catchUp` is sent first. Returns the 101 response. */
  join(spec: string, revision: number, catchUp: string, credential: Credential | undefined): Response;
  /** Accepts a lifeline: see `internalHeaders.lifeline`. Returns the 101 response. */
  hold(credential: Credential | undefined): Response;
  /** Accepts a socket on which changes are signalled: see `internalHeaders.lifeline`. Throws 429. Returns the 101 response. */
  followChanges(credential: Credential | undefined): Response;
}
