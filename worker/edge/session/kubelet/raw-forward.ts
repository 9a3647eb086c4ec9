// Forwards the ports of a pod on a machine: the client's SPDY connection is the kubelet's, so its bytes pass unchanged.
import { endedCode } from "../../../../shared/contract/endings.ts";
import { newPipe } from "../../outside/pipe.ts";
import type { SessionSocket } from "../run.ts";
import { closeReason } from "./close-reason.ts";
import type { Listener } from "../upgrade.ts";

const codes = { good: 1000, failed: 1011 } as const;

/** `cluster` is the cluster's socket, which carries the connection. */
export function newRawForward(socket: SessionSocket, cluster: WebSocket): Listener {
  const { promise: done, resolve } = Promise.withResolvers<void>();
  let isOver = false;
  let failure: string | undefined;
  const close = (code: number, why: string) => {
    if (isOver) return;
    isOver = true;
    socket.close(code, closeReason(why));
    pipe.close();
    resolve();
  };
  const pipe = newPipe(cluster, {
    begin: (status) => {
      if (status !== 101) failure = `the kubelet answers ${status}`;
    },
    receive: (bytes) => {
      if (!isOver && failure === undefined) socket.send(bytes);
    },
    end: (why) => {
      const reason = failure ?? why;
      close(reason === undefined ? codes.good : codes.failed, reason ?? "");
    },
    buffered: () => socket.bufferedAmount ?? 0,
  });
  return {
    done,
    leave: () => close(codes.good, ""),
    end: (why) => close(endedCode, why.message),
    receive: (data) => {
      if (typeof data === "string") close(codes.failed, "a frame of text is not SPDY");
      else pipe.write(new Uint8Array(data));
    },
  };
}
