// Signals changes of the cluster on hibernatable sockets to the edge, which then asks for the next step of a followed timeline.
import type { SandboxLimits } from "../../../shared/contract/sandbox-limits.ts";
import { limitExceeded } from "../../../shared/k8s/bounds/limit-exceeded.ts";
import type { Credential } from "../../api/api-server.ts";
import { acceptSocket, type SocketKind } from "./sockets.ts";

const tag = "changes" satisfies SocketKind;

export class ChangeNews {
  readonly #state: DurableObjectState;
  readonly #bounds: Pick<SandboxLimits, "sessions">;
  /** True if sockets may be open. The sockets outlive this instance, so the first signal checks. */
  #hasFollowers = true;
  #hasChanged = false;
  /** True if a change was signalled and nobody has asked since. */
  #isSignalled = false;
  /** Waits for the next change in this process. */
  #next = Promise.withResolvers<void>();

  /** `bounds` are read whenever a socket is opened. */
  constructor(state: DurableObjectState, bounds: Pick<SandboxLimits, "sessions">) {
    this.#state = state;
    this.#bounds = bounds;
  }

  /** Returns the 101 response of a new socket. Throws 429 if too many are open. */
  join(credential: Credential | undefined): Response {
    const used = this.#state.getWebSockets(tag).length;
    const { sessions: limited } = this.#bounds;
    if (used >= limited) throw limitExceeded("sessions", { used, limited });
    const { client } = acceptSocket(this.#state, tag, credential);
    this.#hasFollowers = true;
    return new Response(null, { status: 101, webSocket: client });
  }

  changed(): void {
    this.#hasChanged = true;
    this.#next.resolve();
    this.#next = Promise.withResolvers<void>();
  }

  /** Resolves at the next change. */
  nextChange(): Promise<void> {
    return this.#next.promise;
  }

  /** Called when the edge has asked for a step: the next change is signalled again. */
  rearm(): void {
    // Every follower has the signal for the changes so far, so only later ones are signalled.
    if (this.#isSignalled) this.#hasChanged = false;
    this.#isSignalled = false;
  }

  /** Signals a change since the last flush, once until the edge asks. */
  flush(): void {
    if (!this.#hasChanged || this.#isSignalled || !this.#hasFollowers) return;
    this.#hasChanged = false;
    const sockets = this.#state.getWebSockets(tag);
    this.#hasFollowers = sockets.length > 0;
    this.#isSignalled = this.#hasFollowers;
    for (const socket of sockets) {
      try {
        socket.send("");
      } catch {
        // The other end is gone and its close is on the way.
      }
    }
  }
}
