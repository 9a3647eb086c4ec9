// Follows the log of a container over a WebSocket, because browsers limit concurrent HTTP requests more than WebSockets.
import { type ClusterAccess, ask, openSocket } from "../../api/cluster.ts";
import { LogRefused } from "./until-end.ts";

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

/**
 * Calls `add` until the log ends, its connection is lost or the signal aborts. Throws `LogRefused`, or the error of a connection that
 * cannot be opened.
 */
export async function followLog(
  access: ClusterAccess,
  source: LogSource,
  { isPrevious, withTimes }: LogOptions,
  add: (text: string) => void,
  signal: AbortSignal,
): Promise<"ended" | "lost"> {
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
    if (!answer.ok) throw new LogRefused(messageIn(text));
    add(text.endsWith("\n") || text === "" ? text : `${text}\n`);
    return "ended";
  }
  const socket = await openSocket(access, path, [protocol]);
  const decoder = new TextDecoder();
  const { promise, resolve } = Promise.withResolvers<"ended" | "lost">();
  let isOpen = false;
  socket.addEventListener("open", () => void (isOpen = true));
  socket.binaryType = "arraybuffer";
  socket.addEventListener("message", ({ data }: MessageEvent<ArrayBuffer>) => {
    if (!signal.aborted) add(decoder.decode(data, { stream: true }));
  });
  socket.addEventListener("close", ({ wasClean }) => resolve(wasClean ? "ended" : "lost"));
  signal.addEventListener("abort", () => {
    socket.close();
    resolve("ended");
  });
  if (signal.aborted) socket.close();
  const how = await promise;
  // A browser does not tell why a connection was refused.
  if (how === "lost" && !isOpen && !signal.aborted) await requireLog(access, source, signal);
  return how;
}

/** Throws `LogRefused` if the API refuses the log. */
async function requireLog(access: ClusterAccess, { namespace, pod, container }: LogSource, signal: AbortSignal) {
  const query = new URLSearchParams({ container, tailLines: "0" });
  const answer = await ask(access, `/api/v1/namespaces/${namespace}/pods/${pod}/log?${query}`, { signal });
  const text = await answer.text();
  if (!answer.ok) throw new LogRefused(messageIn(text));
}

function messageIn(text: string): string {
  try {
    return (JSON.parse(text) as { message?: string }).message ?? text;
  } catch {
    return text;
  }
}
