// What the API needs of the cluster it serves.
import type { UserInfo } from "../../shared/k8s/access.ts";
import { managerOfAgent } from "../../shared/k8s/field-manager.ts";
import type { Directions } from "../../shared/contract/tunnel.ts";
import type {
  Answer,
  OutsideAnswer,
  OutsideRequest,
  Question,
  ServiceAddress,
} from "../../shared/k8s/outbound-call.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Actor, Registry, WriteOptions } from "../registry/registry.ts";
import type { Containers } from "./connect/containers.ts";
import type { Load } from "./filters/load.ts";

/** One of the sandbox's own tokens: what was opened with it ends with it. */
export interface Credential {
  readonly id: string;
  /** On the machine's clock; absent: with the sandbox. */
  readonly endsMs?: number | undefined;
}

export interface Identity {
  readonly user: UserInfo;
  /** What the client showed, where it is one of the sandbox's own tokens. */
  readonly credential?: Credential;
  /** A view token: get, list and watch of everything but Secrets. */
  readonly readOnly: boolean;
}

export interface Service {
  readonly registry: Registry;
  /** The identity behind a bearer token, if it is one of this cluster's and has not expired. */
  authenticate(token: string): Identity | undefined;
  /** Who holds a client certificate (DER as base64) of this cluster's authority, if it is one that authenticates. */
  holderOf?(certificate: string): UserInfo | undefined;
  /** Whose tokens are accepted beside the cluster's own. */
  readonly issuers?: Issuers;
  /** Requests without credentials are let in. */
  readonly letsAnonymous?: boolean;
  /** The machine's clock: what protects people reads it, never the sandbox's own. */
  nowMs(): number;
  /** What the cluster signs its service accounts' tokens with. */
  readonly key: TokenKey;
  /** What of the sandbox's limits is under way. */
  readonly load: Load;
  /** One synchronous turn: the write, and the short drain that it causes, commit together. */
  turn<T>(body: () => T): T;
  /** Lets others have their turn, in what takes several; absent where there are no others. */
  pause?(): Promise<void>;
  /** Asks outside; never rejects. Absent where nobody can be asked. */
  ask?(question: Question): Promise<Answer>;
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

/** One request, authenticated and authorized, on its way to a verb. */
export interface Call {
  readonly service: Service;
  readonly request: Request;
  readonly url: URL;
  readonly identity: Identity;
  /** The sender's, whoever it acts as. */
  readonly credential?: Credential | undefined;
  readonly auditId: string;
  /** Texts of `Warning` headers that the answer will carry. */
  readonly warnings: string[];
  /** What plugins note for the audit log. */
  readonly annotations: Map<string, string>;
  /** The name of what is posted, which no path tells; for the audit log. */
  readonly posted: { name: string };
}

export function actorOf(call: Call, verb: string): Actor {
  return { user: call.identity.user, origin: verb, manager: managerOf(call) };
}

/** How the registry is to write for a request: what is noted and warned of goes where the answer finds it. */
export function writingOf(
  { annotations, warnings }: Call,
  { dryRun, given }: Pick<WriteOptions, "dryRun" | "given">,
  requestKind?: Kind,
): WriteOptions {
  return { dryRun, given, requestKind, annotations, warn: (message) => void warnings.push(message) };
}

/** The `fieldManager` of the query, else what the client calls itself before the first slash of its user agent. */
function managerOf(call: Call): string {
  const named = call.url.searchParams.get("fieldManager");
  if (named) return named;
  return managerOfAgent(call.request.headers.get("user-agent") ?? "");
}
