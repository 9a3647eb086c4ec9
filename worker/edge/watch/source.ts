// The cluster's side of a watch: pulled as a body, joined as a socket. See `internalHeaders` for the protocol.
import { internalHeaders, pullAgain, watchCut, watchExpired } from "../../../shared/contract/cluster-object.ts";
import type { ClusterStub } from "../cluster-stub.ts";

export interface WatchSource {
  /** Pulls events. `wantsColumns` is true for a watch of Tables that has sent nothing yet. */
  pull(since: string | undefined, wantsColumns?: boolean): Promise<Response>;
  join(since: string): Promise<LiveSocket | Response>;
}

export interface LiveListener {
  frame(text: string): void;
  /** Handles the end. `again`: unsent events can be pulled. `expired`: the watch ends with `Expired`. `cut`: its connection is cut. */
  closed(end: "again" | "ended" | "expired" | "cut"): void;
}

/** The live events. Frames are delivered only after `listen`, so that none is lost. */
export interface LiveSocket {
  listen(on: LiveListener): void;
  close(): void;
}

export function clusterWatch(url: URL, headers: Headers, cluster: ClusterStub): WatchSource {
  const send = (more: Record<string, string>) => {
    const all = new Headers(headers);
    for (const name of handshake) all.delete(name);
    for (const [name, value] of Object.entries(more)) all.set(name, value);
    return cluster.fetch(url.href, { headers: all, redirect: "manual" });
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

/** The headers of the handshake, because the edge answers the client's upgrade itself. */
const handshake = [
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
