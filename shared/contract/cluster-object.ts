// What the edge asks of a cluster's object, and the headers they share. Everything else goes through `fetch`: the Kubernetes API.
import type { AuditEvent } from "../k8s/audit.ts";
import type { StateRefusal } from "./cluster-state.ts";
import type { NodeSpec } from "./node-spec.ts";
import type { NotImported, SandboxOptions } from "./sandbox.ts";
import type { SandboxSettings } from "./sandbox-settings.ts";

/** How a cluster is made. Called once, before any request. */
export interface InitializeOptions extends Pick<SandboxOptions, "nodes" | "manifests"> {
  readonly settings: SandboxSettings;
  /** The SHA-256 of the admin token, as lower-case hex. */
  readonly adminTokenHash: string;
  /** What is particular about its nodes, of which there are as many then. */
  readonly machines?: readonly NodeSpec[];
  /** The file of a state that it begins with, in place of a fresh cluster with these nodes. */
  readonly state?: Uint8Array;
  /** Another cluster's objects: see `POST /v1/sandboxes`. */
  readonly import?: string;
}

/**
 * The manifests may be wrong, and that is the caller's error: `field` names what is, `problems` where in the text. `notImported`: where
 * there was something to import.
 */
export type InitializeResult =
  | { readonly ok: true; readonly notImported?: readonly NotImported[] }
  | (StateRefusal & { readonly field: string });

/** A further token of a cluster. Expired ones are refused by the edge already, but the object must not trust that. */
export interface NewToken {
  /** The SHA-256 of the token, as lower-case hex. */
  readonly hash: string;
  readonly user: string;
  readonly groups: string[];
  readonly expiresAtMs: number | undefined;
  /** May get, list and watch everything but Secrets. */
  readonly readOnly: boolean;
  /** The origins whose pages may frame the live view. */
  readonly frameOrigins: string[];
}

/** What is told of a token: never itself. */
export interface StoredToken extends Omit<NewToken, "hash"> {
  /** The beginning of its hash. */
  readonly id: string;
}

/** Characters of a token's hash that are its id. */
export const tokenIdLength = 20;

/** What is replaced when a sandbox's tokens are rotated. */
export interface RenewedTokens {
  /** The SHA-256 of the administrator's token, as lower-case hex. */
  readonly adminTokenHash: string;
  /**
   * `none`: the administrator's tokens before it stay good. A list of hashes: these end, and the administrator's. `all`: every token of the
   * sandbox ends. Client certificates that were issued before end with the administrator's token.
   */
  readonly revoke: "none" | "all" | readonly string[];
}

/** `full`: there are as many as there may be. `gone`: there is no cluster any more. */
export type AddedToken = "added" | "full" | "gone";

export interface ClusterRpc {
  initialize(options: InitializeOptions): Promise<InitializeResult>;
  addToken(token: NewToken): Promise<AddedToken>;
  /** Those that have not expired, but the administrator's. */
  listTokens(): Promise<StoredToken[]>;
  /** False where there is none of that id. */
  removeToken(id: string): Promise<boolean>;
  /** Stores the administrator's token in place of others, and ends what these opened. False if there is no cluster any more. */
  renewTokens(renewed: RenewedTokens): Promise<boolean>;
  /** What policies and webhooks noted of the last requests, the oldest first. */
  listAuditEvents(): Promise<AuditEvent[]>;
  /** Ends every open watch and deletes what is stored. */
  destroy(): Promise<void>;
}

/**
 * Headers between the edge and the object; the edge drops what a client sends under this prefix.
 *
 * A watch is PULLED first: `watch: pull` on the same URL (with `since` when it resumes) answers 200 with a back-pressured body of
 * newline-terminated events and, in its headers, `revision` (the watcher is complete up to there when the body ends) and
 * `bookmark` (the JSON of a BOOKMARK event whose revision reads `$R`; absent if none was asked for). An answer without `revision` is
 * no watch and goes to the client as it is. Where its content type is `protobufStream`, each event is a line of base64 in place of JSON;
 * the bookmark is JSON all the same. A watch as Tables has the column definitions in its first event alone: `columns` (their JSON) says
 * that the body had no event to carry them, and `columns: wanted` asks for them when a watch that has sent nothing yet resumes. Where
 * the answer says `ended`, the body is all there is of the watch: an ERROR event, in JSON whatever the content type.
 * Then it is JOINED: `watch: join` and `since` with `Upgrade: websocket` answers 101 and
 * text frames `<revision>\n<newline-terminated events>`, events possibly none; 409 says pull again first, 410 that `since` is gone.
 */
export const internalHeaders = {
  prefix: "sandbar-",
  /**
   * The sandbox's address, as a kubeconfig has it. A request without it is the client's own, passed on as it was sent: its URL may have the
   * sandbox in its path (`sandboxInPath`), and a GET of it takes directions (`outside`).
   */
  server: "sandbar-server",
  /** The client's certificate, DER as base64, whose key the TLS handshake proved; who signed it is for the object to check. */
  certificate: "sandbar-client-certificate",
  watch: "sandbar-watch",
  since: "sandbar-watch-since",
  revision: "sandbar-watch-revision",
  bookmark: "sandbar-watch-bookmark",
  columns: "sandbar-watch-columns",
  ended: "sandbar-watch-ended",
  /**
   * How far a log that is followed was sent; an answer without it is the last. With `joining` in its place and `Upgrade: websocket` the
   * answer is 101, and a frame on that socket says that it is to be asked again: until then, or until `logWait`, nothing comes.
   */
  logPosition: "sandbar-log-position",
  /**
   * Asks, at any path, for a socket that says nothing and is closed (see `endings.ts`) when what the edge holds open for the client is to
   * end: with its token, or with the sandbox.
   */
  lifeline: "sandbar-lifeline",
  /** Milliseconds until a log goes on, or must be asked again though nothing has changed; absent where that is not known. */
  logWait: "sandbar-log-wait",
  /** `open` or `step`: see `SessionStep` and `ForwardStep`. */
  session: "sandbar-session",
  /** Names a session, or a log that is followed, from its opening to its last step. */
  sessionId: "sandbar-session-id",
  /**
   * Who serves an aggregated API is asked by the edge, so that an answer that goes on and on keeps no cluster awake: with `ask` (`upgrade`
   * where the client wants a WebSocket) the object says where (`here`, and the body is `Directions`) in place of asking itself; with `join`
   * it makes the socket of a tunnel's stream; `failed`, and why in URI encoding, is told of a server that did not answer.
   */
  outside: "sandbar-outside",
} as const;

/** The path of a URL that names its sandbox: the sandbox, and the path as the cluster has it, if there is any. */
export const sandboxInPath = /^\/c(?:\/([^/]*)(\/.*)?)?$/;

/** See `internalHeaders.logPosition`. */
export const joining = "join";
/** The code by which the object closes the socket of a watch that is to pull what it has missed: more is there than one turn sends. */
export const pullAgain = 4001;

/** The content type of a watch in protobuf. */
export const protobufStream = "application/vnd.kubernetes.protobuf;stream=watch";

/** Events of a watch as Tables, with the column definitions in the first. */
export function withColumns(events: string, columns: string): string {
  // Nothing but a Table's own field stands before it, so the first match is the first event's.
  return events.replace('"columnDefinitions":null', () => `"columnDefinitions":${columns}`);
}

/**
 * A command that a client runs in a container over a WebSocket. The socket is the edge's; the object keeps nothing of the session.
 * It is OPENED with the client's own URL and method: the object checks all there is to check and answers 200 with a `SessionOpened`.
 * Then the edge posts a `SessionStep` to the same URL whenever something was typed, or something is due, and gets a `SessionStepped`.
 */
export interface SessionOpened {
  /** On the cluster's clock, and on the machine's. */
  readonly nowMs: number;
  readonly realMs?: number | undefined;
  /** The output that was there before (attach). */
  readonly sent: Sent;
}

/** All output before that time, and so many pieces of that very time. */
export interface Sent {
  readonly atMs: number;
  readonly count: number;
}

export interface SessionStep {
  readonly startMs: number;
  /** `SessionOpened.realMs`. */
  readonly startRealMs?: number | undefined;
  /** The output that the client has. */
  readonly sent: Sent;
  /** All that was typed since the start; a text of one Ctrl-C interrupts what runs. */
  readonly typed: readonly { readonly atMs: number; readonly text: string }[];
  readonly hasEnded: boolean;
  /** The client is gone: it is the last step. */
  readonly hasLeft?: boolean;
}

export interface SessionStepped {
  readonly nowMs: number;
  readonly output: readonly { readonly stream: "stdout" | "stderr"; readonly text: string }[];
  /** The output that the client has now. */
  readonly sent: Sent;
  /** The Status to end with; absent while it runs. */
  readonly status?: object;
  /** When something will be due, if that is known. */
  readonly nextMs?: number;
}

/**
 * Ports that a client forwards: OPENED as a session is, with a `ForwardOpened`. Then the edge posts a `ForwardStep` for each connection,
 * and for each HTTP request or command on one, and gets a `ForwardStepped`.
 */
export interface ForwardOpened {
  /** The pod's: another of the same name is not meant. */
  readonly uid: string;
  /** One of `forwardProtocols`, which is spoken on the socket. */
  readonly protocol: string;
  /** Of channels: each has two. */
  readonly ports: readonly number[];
}

/** SPDY in a WebSocket, or channels of bytes, or of bytes in base64; who names none speaks of bytes. */
export const forwardProtocols = {
  tunnel: "SPDY/3.1+portforward.k8s.io",
  binary: "v4.channel.k8s.io",
  base64: "v4.base64.channel.k8s.io",
  none: "",
} as const;

export interface ForwardStep {
  readonly port: number;
  /** Absent: whether anything listens is all that is asked. */
  readonly path?: string;
  readonly method?: string;
  readonly headers?: readonly (readonly [name: string, value: string])[];
  /** Bytes as text, as in the answer: see `textOfBytes`. */
  readonly body?: string;
  /** From a client that speaks RESP: a command and its arguments, bytes as text. The body of the answer is all that is said. */
  readonly command?: readonly string[];
}

export interface ForwardAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly headers?: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  /** What is spoken at the port; absent: HTTP. */
  readonly language?: string;
}

export type ForwardStepped = ForwardAnswer | { readonly refused: string };
