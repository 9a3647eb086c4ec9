// Reads a watch from the cluster's object: first events as a response body (pull), then live events over a WebSocket (join).
// `internalHeaders` describes the protocol.
import { internalHeaders, pullAgain, watchCut, watchExpired } from "../../../shared/contract/cluster-object.ts";
import type { ClusterStub } from "../cluster-stub.ts";

export interface WatchSource {
  /** Pulls events. `wantsColumns` is true for a watch of Tables that has sent nothing yet. */
  pull(since: string | undefined, wantsColumns?: boolean): Promise<Response>;
  join(since: string): Promise<LiveSocket | Response>;
}

export interface LiveListener {
  frame(text: string): void;
  /**
   * Handles the end. `again`: the object has more events, which must be pulled. `expired`: the watch ends with status `Expired`. `cut`: the
   * client's connection is aborted without an end of the body.
   */
  closed(end: "again" | "ended" | "expired" | "cut"): void;
}

/** The live events. Frames are delivered only after `listen`, so that none is lost. */
export interface LiveSocket {
  listen(on: LiveListener): void;
  close(): void;
}

export function clusterWatch(url: URL, headers: Headers, cluster: ClusterStub): WatchSource {
  const send = (extraHeaders: Record<string, string>) => {
    const requestHeaders = new Headers(headers);
    for (const name of handshakeHeaders) requestHeaders.delete(name);
    for (const [name, value] of Object.entries(extraHeaders)) requestHeaders.set(name, value);
    return cluster.fetch(url.href, { headers: requestHeaders, redirect: "manual" });
  };
  const { watch, since: sinceHeader, columns } = internalHeaders;
  return {
    pull: (since, wantsColumns) =>
      send({
        [watch]: "pull",
        ...(since ? { [sinceHeader]: since } : {}),
        ...(wantsColumns ? { [columns]: "wanted" } : {}),
      }),
    join: async (since) => {
      const response = await send({ [watch]: "join", [sinceHeader]: since, upgrade: "websocket" });
      return response.webSocket ? liveSocket(response.webSocket) : response;
    },
  };
}

const ends: ReadonlyMap<number, "again" | "expired" | "cut"> = new Map([
  [pullAgain, "again"],
  [watchExpired, "expired"],
  [watchCut, "cut"],
]);

/** The client's handshake headers, which are not forwarded: the edge answers the client's upgrade itself. */
const handshakeHeaders = [
  "upgrade",
  "connection",
  "sec-websocket-key",
  "sec-websocket-version",
  "sec-websocket-extensions",
  "sec-websocket-protocol",
];

function liveSocket(socket: WebSocket): LiveSocket {
  return {
    listen: (on) => {
      socket.addEventListener("message", ({ data }) => {
        if (typeof data === "string") on.frame(data);
      });
      socket.addEventListener("close", ({ code }) => on.closed(ends.get(code) ?? "ended"));
      socket.addEventListener("error", () => on.closed("ended"));
      socket.accept();
    },
    close: () => {
      try {
        socket.close(1000, "the watch has ended");
      } catch {
        // The socket is closed already.
      }
    },
  };
}
