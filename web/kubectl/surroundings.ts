// The environment of kubectl: access to its cluster, files, a clock and output. It is independent of the page.
import type { Clock } from "../../shared/base/clock.ts";
import type { Random } from "../../shared/base/random.ts";
import type { Files } from "./files.ts";

/** The prefix of the subprotocol that carries a base64url-encoded token in place of the page's own. */
export const bearerProtocol = "base64url.bearer.authorization.k8s.io.";

/** The part of the WebSocket interface that kubectl uses. */
export interface Socket {
  binaryType: string;
  readonly protocol: string;
  send(data: Uint8Array<ArrayBuffer>): void;
  close(): void;
  addEventListener(type: "open" | "error", listener: () => void): void;
  addEventListener(type: "close", listener: (event: { readonly code: number; readonly reason: string }) => void): void;
  addEventListener(type: "message", listener: (event: { readonly data: unknown }) => void): void;
}

/** The input of a terminal for a container: keys as they are pressed, and size changes. */
export interface Keyboard {
  /**
   * * Calls the listeners until the signal aborts. If `isRaw`, the container has a terminal: keys are sent as they are pressed, including
   * * Ctrl-C, and the size is sent. Otherwise whole lines are sent, and Ctrl-D calls `end`.
   */
  listen(
    on: {
      keys(bytes: Uint8Array<ArrayBuffer>): void;
      size(columns: number, rows: number): void;
      end(): void;
    },
    until: AbortSignal,
    isRaw: boolean,
  ): void;
}

/** The first context of the page's kubeconfig. `kubectl config` may change `namespace`. */
export interface Context {
  readonly name: string;
  readonly cluster: string;
  readonly user: string;
  /** The server address in texts. */
  readonly server: string;
  namespace: string;
}

export interface ClusterConnection {
  /** The name of the cluster in the kubeconfig. */
  readonly name: string;
  /** The server address in texts. */
  readonly server: string;
  /** Sends a request to the cluster. The path begins with a slash. The implementation adds credentials. */
  fetch(path: string, init: RequestInit): Promise<Response>;
  /** Opens a WebSocket at a path of the cluster with these subprotocols. The implementation adds credentials. */
  socket(path: string, protocols: readonly string[]): Socket;
}

export interface ForwardedPort {
  readonly local: number;
  /** The path of the cluster, which precedes the path of a request. Empty for the API itself. */
  readonly path: string;
}

export interface Surroundings extends Pick<ClusterConnection, "fetch" | "socket"> {
  readonly context: Context;
  /** The clusters of an exam that has several, the first of which is that of `context`. Each has a context of its name. */
  readonly clusters?: readonly ClusterConnection[] | undefined;
  readonly files: Files;
  readonly clock: Clock;
  readonly random: Random;
  /** Resolves after this many milliseconds, or early when the signal aborts. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  /** Opens an editor on a text and returns the saved text. Undefined if there is no editor. */
  edit?(text: string, name: string): Promise<string>;
  /** Serves a path of the cluster at a local port until the signal aborts. Undefined if the page has no ports. */
  forward?(port: ForwardedPort, signal: AbortSignal): Promise<void>;
}

/** The input and output of a command line. */
export interface Streams {
  out(text: string): void;
  err(text: string): void;
  /** Reads the whole standard input. */
  input(): Promise<string>;
  /** The keys of the terminal, if there is one. */
  readonly keyboard?: Keyboard;
  /** Writes bytes of a container. Undefined if the output accepts only text. */
  outBytes?(bytes: Uint8Array): void;
  /** Aborts on Ctrl-C. */
  readonly signal: AbortSignal;
}
