// The channels of a WebSocket of commands or ports, in each of the protocols that clients speak: a byte (or a letter from `0` on, with
// base64) says which.
import { base64Of, tryBytesOfBase64 } from "../../../shared/base/base64.ts";

export const channels = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, close: 255 } as const;

/** What a digit stands for in ASCII, less the digit. */
const zero = 48;

export interface Frame {
  readonly channel: number;
  readonly bytes: Uint8Array;
}

export interface Protocol {
  /** "" for a client that asks for none. */
  readonly name: string;
  readonly isText: boolean;
  /** The end of a command is told as a Status; before, only failures are, in words. */
  readonly tellsStatus: boolean;
  /** The client can say that a channel has ended. */
  readonly tellsClose: boolean;
}

const protocols: readonly Protocol[] = [
  { name: "v5.channel.k8s.io", isText: false, tellsStatus: true, tellsClose: true },
  { name: "v4.channel.k8s.io", isText: false, tellsStatus: true, tellsClose: false },
  { name: "v4.base64.channel.k8s.io", isText: true, tellsStatus: true, tellsClose: false },
  { name: "channel.k8s.io", isText: false, tellsStatus: false, tellsClose: false },
  { name: "base64.channel.k8s.io", isText: true, tellsStatus: false, tellsClose: false },
  { name: "", isText: false, tellsStatus: false, tellsClose: false },
];

/** The first that the client names and that is known; undefined if there is none. */
export function protocolOf(header: string | null): Protocol | undefined {
  const asked = (header ?? "").split(",").map((one) => one.trim());
  return asked.map((name) => protocols.find((one) => one.name === name)).find((one) => one !== undefined);
}

type Coding = Pick<Protocol, "isText">;

export function encodeFrame({ isText }: Coding, channel: number, bytes: Uint8Array): string | Uint8Array {
  if (isText) return String.fromCharCode(zero + channel) + base64Of(bytes);
  const frame = new Uint8Array(bytes.length + 1);
  frame[0] = channel;
  frame.set(bytes, 1);
  return frame;
}

/** Undefined for what is no frame. */
export function decodeFrame({ isText }: Coding, data: string | ArrayBuffer): Frame | undefined {
  const bytes = typeof data === "string" ? new TextEncoder().encode(data) : new Uint8Array(data);
  const [first] = bytes;
  if (first === undefined) return undefined;
  if (!isText) return { channel: first, bytes: bytes.subarray(1) };
  const decoded = tryBytesOfBase64(new TextDecoder().decode(bytes.subarray(1)));
  return decoded && { channel: first - zero, bytes: decoded };
}
