// The RPC interface of a cluster's Durable Object, and the headers that it shares with the edge. Kubernetes API requests go through
// `fetch`.
import type { AuditEvent } from "../k8s/audit/event.ts";
import type { ManifestPiece } from "../schema/yaml/pieces/piece.ts";
import type { StateRefusal } from "./cluster-state.ts";
import type { NodeSpec } from "./node-spec.ts";
import type { NotImported, SandboxOptions } from "./sandbox.ts";
import type { SandboxSettings } from "./sandbox-settings.ts";
import type { SandboxStart } from "./tenant-object.ts";

/** The options of a new cluster. Used once, before any request. */
export interface InitializeOptions extends Pick<SandboxOptions, "nodes" | "manifests"> {
  readonly settings: SandboxSettings;
  /** The SHA-256 of the admin token, as lower-case hex. */
  readonly adminTokenHash: string;
  /** The specifications of the nodes, one for each node. */
  readonly machines?: readonly NodeSpec[];
  /** The state file from which the cluster is restored, instead of creating an empty one with these nodes. */
  readonly state?: Uint8Array;
  /** The objects of another cluster: see `POST /v1/sandboxes`. */
  readonly import?: string;
  /** True if the objects were received by `receiveImport`. `continueImport` then writes them. */
  readonly isImportReceived?: boolean;
}

/**
 * The result. Invalid manifests are the client's error: `field` names the invalid field, `problems` the places in the text. `notImported`
 * is set after an import; `start` is the new cluster's state.
 */
export type InitializeResult =
  | ({ readonly ok: true; readonly start?: SandboxStart } & Partial<ImportedObjects>)
  | (StateRefusal & { readonly field: string });

/** The objects of an import that were not imported, or were changed: the first ones, and the number of all if there are more. */
export interface ImportedObjects {
  readonly notImported: readonly NotImported[];
  readonly notImportedCount?: number;
}

/** The result of a part of an import. `isDone` is false while objects are left. */
export type ImportPart =
  | { readonly ok: true; readonly isDone: false }
  | ({ readonly ok: true; readonly isDone: true; readonly start: SandboxStart } & ImportedObjects)
  | (StateRefusal & { readonly field: string });

/** An additional token of a cluster. The edge refuses expired tokens already, but the object checks them as well. */
export interface NewToken {
  /** The SHA-256 of the token, as lower-case hex. */
  readonly hash: string;
  readonly user: string;
  readonly groups: string[];
  readonly expiresAtMs: number | undefined;
  /** True if the token can get, list and watch everything except Secrets. */
  readonly readOnly: boolean;
  /** The origins whose pages can frame the live view. */
  readonly frameOrigins: string[];
}

/** A token without its secret. */
export interface StoredToken extends Omit<NewToken, "hash"> {
  /** The prefix of its hash. */
  readonly id: string;
}

/** The number of characters of the hash in a token's id. */
export const tokenIdLength = 20;

/** The tokens that a rotation replaces. */
export interface RenewedTokens {
  /** The SHA-256 of the administrator's token, as lower-case hex. */
  readonly adminTokenHash: string;
  /**
   * The tokens to revoke. `none`: earlier administrator's tokens stay valid. A list of hashes: these and the administrator's. `all`: every
   * token. Earlier client certificates are revoked with the administrator's token.
   */
  readonly revoke: "none" | "all" | readonly string[];
}

/** The result. `full`: the limit of tokens is reached. `gone`: the cluster does not exist. */
export type AddedToken = "added" | "full" | "gone";

export interface ClusterRpc {
  /** Stores objects of an import that is longer than one call. Comes before `initialize`. */
  receiveImport(
    pieces: readonly ManifestPiece[],
  ): Promise<{ readonly ok: true } | (StateRefusal & { readonly field: string })>;
  /** Writes some of the received objects. Called until it is done; the cluster serves nothing before. */
  continueImport(): Promise<ImportPart>;
  initialize(options: InitializeOptions): Promise<InitializeResult>;
  addToken(token: NewToken): Promise<AddedToken>;
  /** Lists tokens that have not expired, except the administrator's. */
  listTokens(): Promise<StoredToken[]>;
  /** Returns false if no token has this id. */
  removeToken(id: string): Promise<boolean>;
  /** Replaces the administrator's token and closes the connections of the replaced ones. Returns false if the cluster does not exist. */
  renewTokens(renewed: RenewedTokens): Promise<boolean>;
  /** Lists the audit events of recent requests, the oldest first. */
  listAuditEvents(): Promise<AuditEvent[]>;
  /** Ends every open watch and deletes the stored data. */
  destroy(): Promise<void>;
}

/**
 * Headers between the edge and the object. The edge removes this prefix from clients' requests.
 * A watch is PULLED first: `watch: pull` on the same URL, with `since` to resume, returns 200 and a back-pressured body of
 * newline-terminated events. The header `revision` is the revision up to which the watcher is complete at the end of the body. The header
 * `bookmark` is the JSON of a BOOKMARK event with `$R` as its revision, if bookmarks were requested. A response without `revision` is not a
 * watch and is forwarded unchanged.
 * If the content type is `protobufStream`, each event is a line of base64 instead of JSON; the bookmark is still JSON. A watch as Tables
 * has the column definitions only in its first event. `columns` (their JSON) means that the body had no event to carry them, and `columns:
 * wanted` requests them when a watch that has sent nothing resumes. If the response has `ended`, the body is the complete watch: an ERROR
 * event in JSON.
 * Then the watch is JOINED: `watch: join` and `since` with `Upgrade: websocket` returns 101 and text frames
 * `<revision>\n<newline-terminated events>`, possibly without events. 409 means to pull again, 410 that `since` is compacted.
 */
export const internalHeaders = {
  prefix: "sandbar-",
  /**
   * The sandbox's URL as in a kubeconfig. A request without it is the client's own, forwarded unchanged: its URL may contain the sandbox
   * (`sandboxInPath`), and a GET accepts directions (`outside`).
   */
  server: "sandbar-server",
  /** The client's certificate as base64 of DER. The TLS handshake verified its key; the object verifies its issuer. */
  certificate: "sandbar-client-certificate",
  watch: "sandbar-watch",
  since: "sandbar-watch-since",
  revision: "sandbar-watch-revision",
  bookmark: "sandbar-watch-bookmark",
  columns: "sandbar-watch-columns",
  ended: "sandbar-watch-ended",
  /**
   * The position of a followed log; a response without it is the last one. With `joining` as value and `Upgrade: websocket` the response is
   * 101, and a frame on that socket means that new lines can be requested. Nothing arrives before that or before `logWait`.
   */
  logPosition: "sandbar-log-position",
  /**
   * Requests, at any path, a socket that the object closes (see `endings.ts`) when the client's token or the sandbox ends. With `hold` it is
   * silent. With `changes` a frame means that the cluster has changed since the last step of `followTimeline`.
   */
  lifeline: "sandbar-lifeline",
  /** The milliseconds until the log continues, or must be requested again. Absent if unknown. */
  logWait: "sandbar-log-wait",
  /** The step, `open` or `step`: see `SessionStep` and `ForwardStep`. */
  session: "sandbar-session",
  /** The id of a session or a followed log, from its start to its last step. */
  sessionId: "sandbar-session-id",
  /**
   * Directions to the server of an aggregated API, or to the kubelet of a machine. The edge calls the server, so that an endless response
   * does not keep the cluster awake.
   * With `ask` (`upgrade` for a WebSocket) the object returns the destination (`here`, with `Directions` as body) instead of calling it.
   * With `join` it opens the socket of a tunnel's stream. `failed` reports that the server did not answer, with the reason in URI encoding;
   * `answered` reports an error response, with its status and text.
   */
  outside: "sandbar-outside",
  /** A response with it is never sent: the edge cuts the client's connection. */
  cut: "sandbar-cut",
} as const;

/** Matches the path of a URL that names its sandbox: the sandbox, and the cluster's path if there is one. */
export const sandboxInPath = /^\/c(?:\/([^/]*)(\/.*)?)?$/;

/** See `internalHeaders.logPosition`. */
export const joining = "join";
/** The close code of a watch's socket whose watcher must pull, because the backlog exceeds what one turn sends. */
export const pullAgain = 4001;
/** The close code of a watch's socket that ends with `Expired`, and of one whose client's connection is cut. */
export const watchExpired = 4002;
export const watchCut = 4003;

/** The content type of a watch in protobuf. */
export const protobufStream = "application/vnd.kubernetes.protobuf;stream=watch";

/** Inserts the column definitions into the first event of a watch as Tables. */
export function withColumns(events: string, columns: string): string {
  // Only a Table's own fields precede it, so the first match is the first event's.
  return events.replace('"columnDefinitions":null', () => `"columnDefinitions":${columns}`);
}

/**
 * A command that a client runs in a container over a WebSocket. The socket is the edge's; the object stores nothing of the session.
 * It is OPENED with the client's URL and method: the object validates the request and returns 200 with a `SessionOpened`. Then the edge
 * posts a `SessionStep` to the same URL after input or when output is due, and receives a `SessionStepped`.
 */
export interface SessionOpened {
  /** The times on the cluster's clock and on the machine's. */
  readonly nowMs: number;
  readonly realMs?: number | undefined;
  /** The output that existed before the client attached. */
  readonly sent: Sent;
}

/** The position in the output: all output before a time, and a number of chunks of that time. */
export interface Sent {
  readonly atMs: number;
  readonly count: number;
}

export interface SessionStep {
  readonly startMs: number;
  /** See `SessionOpened.realMs`. */
  readonly startRealMs?: number | undefined;
  /** The output that the client has received. */
  readonly sent: Sent;
  /** All input since the start. A text of one Ctrl-C interrupts the process. */
  readonly typed: readonly { readonly atMs: number; readonly text: string }[];
  readonly hasEnded: boolean;
  /** True if the client has disconnected, in the last step. */
  readonly hasLeft?: boolean;
}

export interface SessionStepped {
  readonly nowMs: number;
  readonly output: readonly { readonly stream: "stdout" | "stderr"; readonly text: string }[];
  /** The output that the client has received now. */
  readonly sent: Sent;
  /** The Status at the end. Absent while the command runs. */
  readonly status?: object;
  /** The time at which output is due, if known. */
  readonly nextMs?: number;
}

/**
 * Ports that a client forwards. They are OPENED like a session, with a `ForwardOpened`. Then the edge posts a `ForwardStep` for each
 * connection, and for each HTTP request or command on one, and receives a `ForwardStepped`.
 */
export interface ForwardOpened {
  /** The UID of the pod, so that another pod of the same name is not used. */
  readonly uid: string;
  /** The protocol of the socket, one of `forwardProtocols`. */
  readonly protocol: string;
  /** The ports of the channels protocol; each has two channels. */
  readonly ports: readonly number[];
}

/** The protocols: SPDY in a WebSocket, channels of bytes, or channels of base64. A client that names none uses bytes. */
export const forwardProtocols = {
  tunnel: "SPDY/3.1+portforward.k8s.io",
  binary: "v4.channel.k8s.io",
  base64: "v4.base64.channel.k8s.io",
  none: "",
} as const;

export interface ForwardStep {
  readonly port: number;
  /** The path. Absent if the step only checks whether the port is open. */
  readonly path?: string;
  readonly method?: string;
  readonly headers?: readonly (readonly [name: string, value: string])[];
  /** The body, bytes as text as in the response: see `textOfBytes`. */
  readonly body?: string;
  /** A RESP command with its arguments, bytes as text. The body of the response is the complete reply. */
  readonly command?: readonly string[];
}

export interface ForwardAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly headers?: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  /** The protocol of the port. Absent for HTTP. */
  readonly language?: string;
}

export type ForwardStepped = ForwardAnswer | { readonly refused: string };
