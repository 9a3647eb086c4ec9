// Notifies the followers of logs over hibernatable sockets when something that the log depends on changes. Until then, or until the next known
// output, a follower does not read the log again. A cluster that was opened again has no record of the logs, so it notifies all followers.
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import type { Change } from "../../store/change.ts";
import { limitExceeded } from "../../../shared/k8s/bounds/limit-exceeded.ts";
import type { SandboxLimits } from "../../../shared/contract/sandbox-limits.ts";
import { acceptSocket, type SocketKind } from "../watches/sockets.ts";
import type { LogFollowers } from "./followers.ts";
import { DependencyIndex } from "./read-tracking.ts";

const tag = "log" satisfies SocketKind;

export class LogNews implements LogFollowers {
  readonly #state: DurableObjectState;
  readonly #bounds: Pick<SandboxLimits, "sessions">;
  readonly #dependencies = new DependencyIndex();

  /** `bounds`: the number of sockets that may be open. It is read whenever a socket is opened. */
  constructor(state: DurableObjectState, bounds: Pick<SandboxLimits, "sessions">) {
    this.#state = state;
    this.#bounds = bounds;
  }

  /** Opens a socket, and notifies it at once of all earlier changes. Throws 429 at the limit of followers; the edge then polls. */
  join({ metadata }: Pod, container: string): Response {
    const used = this.#state.getWebSockets(tag).length;
    const { sessions: limited } = this.#bounds;
    if (used >= limited) throw limitExceeded("sessions", { used, limited });
    // When the client's token expires, the edge closes this socket together with the client's.
    const { client, server } = acceptSocket(this.#state, "log", undefined, [tagOf(metadata.uid, container)]);
    server.send("");
    return new Response(null, { status: 101, webSocket: client });
  }

  expect({ metadata }: Pod, container: string, readKeys: ReadonlySet<string>): void {
    this.#dependencies.add(tagOf(metadata.uid, container), readKeys);
  }

  changed(change: Change): void {
    for (const follower of this.#dependencies.ofChange(change)) this.#notify(follower);
  }

  edited(key: string): void {
    for (const follower of this.#dependencies.ofKey(key)) this.#notify(follower);
  }

  /** Notifies all followers after the object was opened again, because their dependencies are not stored. */
  tellAll(): void {
    this.#notify(tag);
  }

  #notify(to: string): void {
    this.#dependencies.remove(to);
    for (const socket of this.#state.getWebSockets(to)) {
      try {
        socket.send("");
      } catch {
        // The other end has closed, and its close event has not arrived yet.
      }
    }
  }
}

function tagOf(uid: string | undefined, container: string): string {
  return `${tag}:${uid ?? ""}/${container}`;
}
