// Forwards the ports of a pod over one SPDY connection.
import { endedCode } from "../../../../shared/contract/endings.ts";
import type { ApiError } from "../../../../shared/k8s/status.ts";
import type { ForwardOptions } from "../forward/connection.ts";
import type { SessionSocket } from "../run.ts";
import { leaveFrame, newFrameReader, pingFrame, type SpdyFrame, statuses } from "./frames.ts";
import { newHeaderReader } from "./headers.ts";
import { newPairs } from "./pairs.ts";

export interface Forward {
  /** Receives a message of the client. */
  receive(data: string | ArrayBuffer): void;
  /** Ends the session after the client has disconnected or its time is over. */
  leave(): void;
  /** Ends the session and sends the reason to the client. */
  end(why: ApiError): void;
  /** Returns the number of open and opening connections. */
  open(): number;
  /** Resolves at the end. */
  readonly done: Promise<void>;
}

/** The close codes of the WebSocket. */
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
      // Decompress unused headers too, because each header depends on those before it.
      const headers = readHeaders(frame.block);
      if (!headers) return "bad";
      if (frame.type === "headers") return "good";
      // A client's stream ids are odd and ascending.
      if (frame.stream % 2 === 0 || frame.stream <= lastStream) return "bad";
      lastStream = frame.stream;
      pairs.open(frame.stream, headers, frame.isLast);
    } else if (frame.type === "data") pairs.receive(frame.stream, frame.bytes, frame.isLast);
    else if (frame.type === "reset") pairs.reset(frame.stream);
    else if (frame.type === "leave") end(codes.good);
    // Even ids answer pings of ours, which are never sent.
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
