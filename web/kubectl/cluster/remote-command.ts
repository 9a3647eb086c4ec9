// Runs a command in a container over a WebSocket with v5.channel.k8s.io: a channel byte, then the data of the channel.
import type { Keyboard, Socket } from "../surroundings.ts";
import type { Status } from "../errors.ts";

export const protocols = ["v5.channel.k8s.io"];

const channels = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, close: 255 } as const;

export interface Remote {
  readonly socket: Socket;
  /** Input that is sent at once, followed by the end of input. A keyboard stays open instead. */
  readonly input?: string | Uint8Array;
  readonly keyboard?: Keyboard | undefined;
  readonly sizes: boolean;
  out(bytes: Uint8Array): void;
  err(bytes: Uint8Array): void;
  readonly signal: AbortSignal;
}

/** Resolves with the final status of the command, or undefined if the client left or the connection broke. */
export function runRemotely(remote: Remote): Promise<Status | undefined> {
  const { socket, signal } = remote;
  const { promise, resolve, reject } = Promise.withResolvers<Status | undefined>();
  const over = new AbortController();
  let status: Status | undefined;
  let isOpen = false;
  socket.binaryType = "arraybuffer";
  const send = (channel: number, bytes: Uint8Array) => {
    const frame = new Uint8Array(bytes.length + 1);
    frame[0] = channel;
    frame.set(bytes, 1);
    socket.send(frame);
  };
  socket.addEventListener("open", () => {
    isOpen = true;
    begin(remote, send, over.signal);
  });
  socket.addEventListener("message", ({ data }) => {
    const bytes = new Uint8Array(data as ArrayBuffer); // as binaryType says
    const body = bytes.subarray(1);
    if (bytes[0] === channels.stdout) remote.out(body);
    else if (bytes[0] === channels.stderr) remote.err(body);
    else if (bytes[0] === channels.error && body.length > 0)
      status = JSON.parse(new TextDecoder().decode(body)) as Status;
  });
  socket.addEventListener("close", () => {
    over.abort();
    if (isOpen) resolve(status);
    else reject(new Error("unable to upgrade connection"));
  });
  signal.addEventListener("abort", () => {
    over.abort();
    socket.close();
    resolve(undefined);
  });
  return promise;
}

function begin(
  { input, keyboard, sizes }: Remote,
  send: (channel: number, bytes: Uint8Array) => void,
  until: AbortSignal,
): void {
  const encoder = new TextEncoder();
  if (keyboard) {
    keyboard.listen(
      {
        keys: (bytes) => send(channels.stdin, bytes),
        size: (columns, rows) => {
          if (sizes) send(channels.resize, encoder.encode(JSON.stringify({ Width: columns, Height: rows })));
        },
        end: () => send(channels.close, Uint8Array.of(channels.stdin)),
      },
      until,
      sizes,
    );
  } else if (input !== undefined) {
    const bytes = typeof input === "string" ? encoder.encode(input) : input;
    if (bytes.length > 0) send(channels.stdin, bytes);
    send(channels.close, Uint8Array.of(channels.stdin));
  }
}
