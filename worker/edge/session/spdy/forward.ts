// The ports of a pod, forwarded over one SPDY connection, from its beginning to its end.
import { endedCode } from "../../../../shared/contract/endings.ts";
import type { ApiError } from "../../../../shared/k8s/status.ts";
import type { ForwardOptions } from "../forward/connection.ts";
import type { SessionSocket } from "../run.ts";
import { leaveFrame, newFrameReader, pingFrame, type SpdyFrame, statuses } from "./frames.ts";
import { newHeaderReader } from "./headers.ts";
import { newPairs } from "./pairs.ts";

export interface Forward {
  /** What the client has sent. */
  receive(data: string | ArrayBuffer): void;
  /** The client is gone, or its time is up. */
  leave(): void;
  /** It is told why it is not served any more. */
  end(why: ApiError): void;
  /** How many connections are open, or about to be. */
  open(): number;
  /** Resolves at the end. */
  readonly done: Promise<void>;
}

/** How a WebSocket is closed. */
const codes = { good: 1000, protocolError: 1002 } as const;

export function newForward(socket: SessionSocket, options: ForwardOptions): Forward {
  const readFrames = newFrameReader();
  const readHeaders = newHeaderReader();
  let lastStream = 0;
  let isOver = false;
  let resolve = () => {};
  const done = new Promise<void>((settle) => void (resolve = settle));
  const send = (frame: Uint8Array) => {
    if (!isOver) socket.send(frame);
  };
  const pairs = newPairs(send, options);
  const end = (code: number, why = "") => {
    if (isOver) return;
    isOver = true;
    pairs.dropAll();
    socket.close(code, why);
    resolve();
  };
  const broken = () => {
    send(leaveFrame(lastStream, statuses.protocolError));
    end(codes.protocolError);
  };
  const handle = (frame: SpdyFrame): "good" | "bad" => {
    if (frame.type === "open" || frame.type === "headers") {
      // Even those of no use: each header is compressed with those before it.
      const headers = readHeaders(frame.block);
      if (!headers) return "bad";
      if (frame.type === "headers") return "good";
      // A client's are odd, and none is used again.
      if (frame.stream % 2 === 0 || frame.stream <= lastStream) return "bad";
      lastStream = frame.stream;
      pairs.open(frame.stream, headers, frame.isLast);
    } else if (frame.type === "data") pairs.receive(frame.stream, frame.bytes, frame.isLast);
    else if (frame.type === "reset") pairs.reset(frame.stream);
    else if (frame.type === "leave") end(codes.good);
    // Even ones answer ours, of which there are none.
    else if (frame.id % 2 === 1) send(pingFrame(frame.id));
    return "good";
  };
  return {
    done,
    leave: () => end(codes.good),
    end: (why) => {
      send(leaveFrame(lastStream, statuses.good));
      end(endedCode, why.message);
    },
    open: () => pairs.size(),
    receive: (data) => {
      if (isOver) return;
      const frames = typeof data === "string" ? undefined : readFrames(new Uint8Array(data));
      if (!frames) return broken();
      for (const frame of frames) {
        if (isOver) return;
        if (handle(frame) === "bad") return broken();
      }
    },
  };
}
