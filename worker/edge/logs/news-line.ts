// A socket on which a cluster signals that the edge should ask for more: of a followed log, or of a followed timeline.
import { endedCode } from "../../../shared/contract/endings.ts";

/** The signals of the cluster's socket. */
export interface News {
  /** True if a signal arrived after the last request. */
  isThere: boolean;
  /** Called when a signal arrives. */
  wake(): void;
}

/** Waits for `ms`, or until news arrive or the client disconnects. Resolves to whether the client is connected. */
export type Pause = (ms: number, news: News, gone: AbortSignal) => Promise<boolean>;

export interface NewsLine {
  readonly news: News;
  isOpen(): boolean;
  /** Reports whether the cluster closed the socket for good: its token or the sandbox has ended. */
  hasEnded(): boolean;
  /** Opens the socket if it is closed. */
  open(): Promise<void>;
  close(): void;
}

/** Maintains the socket; `open` reopens it when it is lost. */
export function newNewsLine(join: () => Promise<Response>): NewsLine {
  const news: News = { isThere: false, wake: () => undefined };
  let socket: WebSocket | null = null;
  let hasEnded = false;
  const signal = () => {
    news.isThere = true;
    news.wake();
  };
  const lost = () => {
    socket = null;
    signal();
  };
  return {
    news,
    isOpen: () => socket !== null,
    hasEnded: () => hasEnded,
    open: async () => {
      if (socket) return;
      socket = (await join().catch(() => undefined))?.webSocket ?? null;
      socket?.addEventListener("message", signal);
      socket?.addEventListener("close", ({ code }) => {
        hasEnded = code === endedCode;
        lost();
      });
      socket?.addEventListener("error", lost);
      socket?.accept();
    },
    close: () => {
      const openSocket = socket;
      socket = null;
      try {
        openSocket?.close(1000, "nobody follows any more");
      } catch {
        // The socket is closed already.
      }
    },
  };
}

/** Returns a pause of at least `shortestMs`, so that frequent signals cause no more requests than frequent news. */
export function pauseAtLeast(shortestMs: number): Pause {
  return (ms, news, gone) =>
    new Promise((done) => {
      if (gone.aborted) return done(false);
      const end = (isConnected: boolean) => {
        clearTimeout(soonest);
        clearTimeout(latest);
        news.wake = () => undefined;
        gone.removeEventListener("abort", leave);
        done(isConnected);
      };
      const leave = () => end(false);
      let isSoonest = false;
      const soonest = setTimeout(() => {
        isSoonest = true;
        if (news.isThere) end(true);
      }, shortestMs);
      const latest = setTimeout(() => end(true), ms);
      news.wake = () => {
        if (isSoonest) end(true);
      };
      gone.addEventListener("abort", leave);
    });
}
