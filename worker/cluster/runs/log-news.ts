// Those who follow a log, each with a hibernatable socket on which it is told that something the log depends on has changed: until then,
// or until what is known to be printed next, it need not ask. A cluster that was opened anew knows of nobody's log, and tells all.
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import type { Change } from "../../store/change.ts";
import { limitExceeded } from "../../../shared/k8s/bounds/limit-exceeded.ts";
import type { SandboxLimits } from "../../../shared/contract/sandbox-limits.ts";
import { acceptSocket, type SocketKind } from "../watches/sockets.ts";
import type { LogFollowers } from "./followers.ts";
import { Lookers } from "./seen.ts";

const tag = "log" satisfies SocketKind;

export class LogNews implements LogFollowers {
  readonly #state: DurableObjectState;
  readonly #bounds: Pick<SandboxLimits, "sessions">;
  readonly #lookers = new Lookers();

  /** `bounds`: how many sockets may be open; looked at whenever one is opened. */
  constructor(state: DurableObjectState, bounds: Pick<SandboxLimits, "sessions">) {
    this.#state = state;
    this.#bounds = bounds;
  }

  /** Throws 429 where too many follow already: then the edge asks from time to time. It is told at once, for what came before it was there. */
  join({ metadata }: Pod, container: string): Response {
    const used = this.#state.getWebSockets(tag).length;
    const { sessions: limited } = this.#bounds;
    if (used >= limited) throw limitExceeded("sessions", { used, limited });
    // The token that the client came with ends its lifeline, and the edge this with it.
    const { client, server } = acceptSocket(this.#state, "log", undefined, [tagOf(metadata.uid, container)]);
    server.send("");
    return new Response(null, { status: 101, webSocket: client });
  }

  expect({ metadata }: Pod, container: string, seen: ReadonlySet<string>): void {
    this.#lookers.add(tagOf(metadata.uid, container), seen);
  }

  changed(change: Change): void {
    for (const one of this.#lookers.ofChange(change)) this.#tell(one);
  }

  edited(key: string): void {
    for (const one of this.#lookers.ofKey(key)) this.#tell(one);
  }

  /** After an opening: what they wait for is not known any more. */
  tellAll(): void {
    this.#tell(tag);
  }

  #tell(to: string): void {
    this.#lookers.remove(to);
    for (const socket of this.#state.getWebSockets(to)) {
      try {
        socket.send("");
      } catch {
        // The other end is gone and its close is on the way.
      }
    }
  }
}

function tagOf(uid: string | undefined, container: string): string {
  return `${tag}:${uid ?? ""}/${container}`;
}
