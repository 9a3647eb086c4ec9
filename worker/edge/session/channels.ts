// The channels of a WebSocket for commands or ports, in each of the clients' protocols. A byte (or a digit, with base64) names the channel.
import { base64Of, tryBytesOfBase64 } from "../../../shared/base/base64.ts";

export const channels = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, close: 255 } as const;

/** The ASCII code of the digit 0. */
const zero = 48;

export interface Frame {
  readonly channel: number;
  readonly bytes: Uint8Array;
}

export interface Protocol {
  /** The name, or "" for a client that requests none. */
  readonly name: string;
  readonly isText: boolean;
  /** True if the end of a command is sent as a Status. Older protocols send only failures, as text. */
  readonly tellsStatus: boolean;
  /** True if the client can close a channel. */
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

/** Returns the first known protocol of the client's list, or undefined. */
export function protocolOf(header: string | null): Protocol | undefined {
  const requestedProtocols = (header ?? "").split(",").map((protocolName) => protocolName.trim());
  return requestedProtocols
    .map((name) => protocols.find((protocol) => protocol.name === name))
    .find((protocol) => protocol !== undefined);
}

type Coding = Pick<Protocol, "isText">;

export function encodeFrame({ isText }: Coding, channel: number, bytes: Uint8Array): string | Uint8Array {
  if (isText) return String.fromCharCode(zero + channel) + base64Of(bytes);
  const frame = new Uint8Array(bytes.length + 1);
  frame[0] = channel;
  frame.set(bytes, 1);
  return frame;
}

/** Returns undefined if the data is not a frame. */
export function decodeFrame({ isText }: Coding, data: string | ArrayBuffer): Frame | undefined {
  const bytes = typeof data === "string" ? new TextEncoder().encode(data) : new Uint8Array(data);
  const [first] = bytes;
  if (first === undefined) return undefined;
  if (!isText) return { channel: first, bytes: bytes.subarray(1) };
  const decoded = tryBytesOfBase64(new TextDecoder().decode(bytes.subarray(1)));
  return decoded && { channel: first - zero, bytes: decoded };
}
