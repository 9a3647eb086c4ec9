// Closes what the edge holds open for a client when the client's token or the sandbox ends. The cluster closes a hibernatable socket to
// signal the end, so an idle cluster can sleep.
import { endedCode, endings } from "../../shared/contract/endings.ts";
import { internalHeaders } from "../../shared/contract/cluster-object.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import type { ClusterStub } from "./cluster-stub.ts";
import { withoutUpgrade } from "./session/upgrade-headers.ts";

export interface LifelineRequest {
  /** The URL as the cluster sees it. */
  readonly url: URL;
  readonly headers: Headers;
  /** The milliseconds until the client's token ends. */
  readonly leftMs: number;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
}

export interface Lifeline {
  /** Aborts at the end. The reason is an `ApiError` if the client is still connected and needs an explanation. */
  readonly signal: AbortSignal;
  /** The cluster. The lifeline starts with its first successful response. */
  readonly cluster: ClusterStub;
  /** Releases the lifeline. */
  release(): void;
}

/** The maximum of a timer: 31 bits of milliseconds. */
const longestTimerMs = 2 ** 31 - 1;
/** The number of attempts to reopen a broken lifeline in a row. */
const attempts = 5;
const againMs = 1_000;

export function newLifeline({ url, headers, leftMs, signal }: LifelineRequest, cluster: ClusterStub): Lifeline {
  const over = new AbortController();
  let socket: WebSocket | undefined;
  let isHeld = false;
  const timer = setTimeout(() => over.abort(unauthorized(endings.expired)), Math.min(leftMs, longestTimerMs));
  const release = () => {
    clearTimeout(timer);
    over.abort();
    try {
      socket?.close(1000, "");
    } catch {
      // The socket is closed already.
    }
  };
  over.signal.addEventListener("abort", release, { once: true });
  signal.addEventListener("abort", release, { once: true });
  const open = async (): Promise<void> => {
    const asking = withoutUpgrade(headers);
    asking.set("upgrade", "websocket");
    asking.set(internalHeaders.lifeline, "hold");
    const answer = await cluster.fetch(new URL("/", url).href, { headers: asking, redirect: "manual" });
    const { webSocket } = answer;
    if (!webSocket) {
      await answer.body?.cancel();
      if (isAccessEnded(answer.status)) return over.abort(accessEndedError(answer.status));
      throw new Error(`the lifeline was answered ${answer.status}`);
    }
    webSocket.addEventListener("close", ({ code, reason }) => {
      if (code === endedCode) over.abort(endingOf(reason));
      else void hold();
    });
    webSocket.addEventListener("error", () => void hold());
    webSocket.accept();
    socket = webSocket;
    if (over.signal.aborted) release();
  };
  const hold = async (): Promise<void> => {
    for (let attempt = 1; !over.signal.aborted; attempt++) {
      try {
        return await open();
      } catch {
        if (attempt >= attempts) return over.abort(ApiError.internal("the cluster does not answer"));
        await new Promise<void>((resolve) => void setTimeout(resolve, againMs));
      }
    }
  };
  return {
    signal: over.signal,
    release,
    cluster: {
      fetch: async (to, init) => {
        const answer = await cluster.fetch(to, init);
        if ((answer.status === 200 || answer.status === 101) && !isHeld) {
          isHeld = true;
          void hold();
        }
        return answer;
      },
    },
  };
}

function endingOf(reason: string): ApiError {
  return reason === endings.gone ? accessEndedError(410) : unauthorized(reason);
}

/** Reports whether the status means that the client has lost its access. */
export function isAccessEnded(status: number): boolean {
  return status === 401 || status === 410;
}

/** Returns the error for a client that has lost its access. */
export function accessEndedError(status: number): ApiError {
  if (status === 410) return new ApiError(410, "Gone", endings.gone);
  return status === 401 ? ApiError.unauthorized() : ApiError.internal("the cluster does not answer");
}

function unauthorized(why: string): ApiError {
  return new ApiError(401, "Unauthorized", why);
}
