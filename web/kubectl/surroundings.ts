// What a kubectl is given: a way to its cluster, files, a clock, and where it writes. Nothing here knows a page.
import type { Clock } from "../../shared/base/clock.ts";
import type { Random } from "../../shared/base/random.ts";
import type { Files } from "./files.ts";

/** The subprotocol that carries a token in place of the page's own, base64url-encoded behind this. */
export const bearerProtocol = "base64url.bearer.authorization.k8s.io.";

/** As far as a WebSocket is used; the browser's is one. */
export interface Socket {
  binaryType: string;
  readonly protocol: string;
  send(data: Uint8Array<ArrayBuffer>): void;
  close(): void;
  addEventListener(type: "open" | "error", listener: () => void): void;
  addEventListener(type: "close", listener: (event: { readonly code: number; readonly reason: string }) => void): void;
  addEventListener(type: "message", listener: (event: { readonly data: unknown }) => void): void;
}

/** What a terminal sends to a container that reads it: keys as they are pressed, and its size as it changes. */
export interface Keyboard {
  /**
   * Calls until the signal aborts. `isRaw`: the container has a terminal, so keys go to it as they are pressed, Ctrl-C among them, and the
   * size is told; otherwise whole lines go, and `end` is what Ctrl-D says.
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

/** The one context of a sandbox, as `kubectl config` shows it; `namespace` may be changed by it. */
export interface Context {
  readonly name: string;
  readonly cluster: string;
  readonly user: string;
  /** The address that texts show. */
  readonly server: string;
  namespace: string;
}

/** A way to a cluster. */
export interface ClusterConnection {
  /** What the cluster is called in the kubeconfig. */
  readonly name: string;
  /** The address that texts show. */
  readonly server: string;
  /** Asks the cluster; the path begins with a slash. Credentials are added by whoever gives this. */
  fetch(path: string, init: RequestInit): Promise<Response>;
  /** Opens a WebSocket at a path of the cluster, with these subprotocols beside what carries the credentials. */
  socket(path: string, protocols: readonly string[]): Socket;
}

export interface ForwardedPort {
  readonly local: number;
  /** The path of the cluster before the path of a request; empty for the API itself. */
  readonly path: string;
}

export interface Surroundings extends Pick<ClusterConnection, "fetch" | "socket"> {
  readonly context: Context;
  readonly files: Files;
  readonly clock: Clock;
  readonly random: Random;
  /** Resolves after so many milliseconds, early when the signal aborts. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  /** Opens an editor on a text and gives what was saved; undefined where there is none. */
  edit?(text: string, name: string): Promise<string>;
  /** Serves a path of the cluster at a local port until the signal aborts; undefined if the page has no ports. */
  forward?(port: ForwardedPort, signal: AbortSignal): Promise<void>;
}

/** One command line's input and output. */
export interface Streams {
  out(text: string): void;
  err(text: string): void;
  /** All of the standard input. */
  input(): Promise<string>;
  /** The keys of a terminal, where there is one. */
  readonly keyboard?: Keyboard;
  /** Bytes of a container, where they go by themselves; text otherwise. */
  outBytes?(bytes: Uint8Array): void;
  /** Ctrl-C. */
  readonly signal: AbortSignal;
}
