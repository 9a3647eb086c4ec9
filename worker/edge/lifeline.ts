// What the edge holds open for a client ends with the client's token, and with the sandbox: a socket of the cluster's object, which it
// closes, tells of both. It costs a sleeping cluster nothing.
import { endedCode, endings } from "../../shared/contract/endings.ts";
import { internalHeaders } from "../../shared/contract/cluster-object.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import type { ClusterStub } from "./cluster-stub.ts";
import { withoutUpgrade } from "./upgrade-headers.ts";

export interface LifelineRequest {
  /** As the cluster sees it. */
  readonly url: URL;
  readonly headers: Headers;
  /** Until the client's token ends. */
  readonly leftMs: number;
  /** Fires when the client goes. */
  readonly signal: AbortSignal;
}

export interface Lifeline {
  /** Fires when it is over: with an `ApiError` as reason where the client is still there and is to be told why. */
  readonly signal: AbortSignal;
  /** The cluster. From its first good answer on, the lifeline is held. */
  readonly cluster: ClusterStub;
  /** It is not needed any more. */
  release(): void;
}

/** Timers hold 31 bits of milliseconds. */
const longestTimerMs = 2 ** 31 - 1;
/** A lifeline that broke is held anew, so often in a row, after so long. */
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
      // It is closed already.
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
        if (answer.status === 200 && !isHeld) {
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

/** Whether whoever was let in is not any more. */
export function isAccessEnded(status: number): boolean {
  return status === 401 || status === 410;
}

/** Of the cluster's own answer to who may not go on. */
export function accessEndedError(status: number): ApiError {
  if (status === 410) return new ApiError(410, "Gone", endings.gone);
  return status === 401 ? ApiError.unauthorized() : ApiError.internal("the cluster does not answer");
}

function unauthorized(why: string): ApiError {
  return new ApiError(401, "Unauthorized", why);
}
