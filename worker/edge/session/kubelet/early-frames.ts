// The frames that a client sends before the kubelet has answered.
import { messageBytes, mostWaitingBytes } from "../../outside/pipe.ts";
import type { Frame } from "../channels.ts";

export interface EarlyFrames {
  /** Keeps a frame. Returns false if there are too many bytes. */
  keep(frame: Frame): boolean;
  /** Returns the frames and forgets them. */
  release(): readonly Frame[];
}

export const tooEarly = "the client sent too much before the kubelet answered";

export function newEarlyFrames(): EarlyFrames {
  const frames: Frame[] = [];
  let size = 0;
  return {
    keep: (frame) => {
      frames.push(frame);
      size += frame.bytes.length + messageBytes;
      return size <= mostWaitingBytes;
    },
    release: () => frames.splice(0),
  };
}
