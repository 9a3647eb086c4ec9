// The cluster's side of a watch: pulled as a body, joined as a socket. See `internalHeaders` for the protocol.
import { internalHeaders, pullAgain } from "../../../shared/contract/cluster-object.ts";
import type { ClusterStub } from "../cluster-stub.ts";

export interface WatchSource {
  /** `wantsColumns`: it is a watch as Tables that has sent nothing yet. */
  pull(since: string | undefined, wantsColumns?: boolean): Promise<Response>;
  join(since: string): Promise<LiveSocket | Response>;
}

export interface LiveListener {
  frame(text: string): void;
  /** `mayPull`: what was not sent is there to be pulled. */
  closed(mayPull: boolean): void;
}

/** What is live. Frames come only after `listen`, so that none is missed. */
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

/** The client's own upgrade is answered by the edge. */
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
      socket.addEventListener("close", ({ code }) => on.closed(code === pullAgain));
      socket.addEventListener("error", () => on.closed(false));
      socket.accept();
    },
    close: () => {
      try {
        socket.close(1000, "the watch has ended");
      } catch {
        // It is closed already.
      }
    },
  };
}
