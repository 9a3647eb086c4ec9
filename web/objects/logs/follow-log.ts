// Follows the log of a container over a WebSocket, because browsers limit concurrent HTTP requests more than WebSockets.
import { type ClusterAccess, ask, openSocket } from "../../api/cluster.ts";

export interface LogSource {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
}

export interface LogOptions {
  readonly isPrevious: boolean;
  readonly withTimes: boolean;
}

const linesAtFirst = 2000;
const protocol = "binary.k8s.io";

/** Calls `add` until the log ends or the signal aborts. Throws the server's error. */
export async function followLog(
  access: ClusterAccess,
  source: LogSource,
  { isPrevious, withTimes }: LogOptions,
  add: (text: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const query = new URLSearchParams({
    container: source.container,
    tailLines: String(linesAtFirst),
    ...(withTimes ? { timestamps: "true" } : {}),
    ...(isPrevious ? { previous: "true" } : { follow: "true" }),
  });
  const path = `/api/v1/namespaces/${source.namespace}/pods/${source.pod}/log?${query}`;
  if (isPrevious) {
    const answer = await ask(access, path, { signal });
    const text = await answer.text();
    if (!answer.ok) throw new Error(messageIn(text));
    add(text.endsWith("\n") || text === "" ? text : `${text}\n`);
    return;
  }
  const socket = await openSocket(access, path, [protocol]);
  const decoder = new TextDecoder();
  const { promise, resolve } = Promise.withResolvers<void>();
  socket.binaryType = "arraybuffer";
  socket.addEventListener("message", ({ data }: MessageEvent<ArrayBuffer>) => {
    if (!signal.aborted) add(decoder.decode(data, { stream: true }));
  });
  socket.addEventListener("close", () => resolve());
  signal.addEventListener("abort", () => {
    socket.close();
    resolve();
  });
  if (signal.aborted) socket.close();
  await promise;
}

function messageIn(text: string): string {
  try {
    return (JSON.parse(text) as { message?: string }).message ?? text;
  } catch {
    return text;
  }
}
