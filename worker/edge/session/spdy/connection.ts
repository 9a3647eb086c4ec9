// One forwarded connection: the client's requests go to the cluster one after the other, and what the pod answers goes back.
import type { ForwardStep, ForwardStepped } from "../../../../shared/contract/cluster-object.ts";
import { httpAnswer, type HttpRequest, newHttpReader, proceedAnswer } from "./http.ts";

export interface ConnectionOptions {
  readonly port: number;
  nowMs(): number;
  /** Undefined if the cluster cannot say any more. */
  ask(step: ForwardStep): Promise<ForwardStepped | undefined>;
  send(bytes: Uint8Array): void;
}

export interface Connection {
  receive(bytes: Uint8Array): void;
  /** The client will send no more, but may read. */
  finish(): void;
  /** The client is gone. */
  drop(): void;
  /** How it came to its end: what went wrong, if something did. */
  readonly done: Promise<{ readonly error?: string }>;
}

export function newConnection({ port, nowMs, ask, send }: ConnectionOptions): Connection {
  let isHttp = true;
  let hasFinished = false;
  let isGone = false;
  let wake = () => {};
  const reader = newHttpReader(() => send(proceedAnswer));
  const run = async (): Promise<{ readonly error?: string }> => {
    // As upstream does, it is connected before anything is said.
    let stepped = await ask({ port });
    while (!isGone) {
      if (!stepped) return { error: "the cluster does not answer" };
      if ("refused" in stepped) return { error: stepped.refused };
      const request = reader.next();
      if (request) {
        stepped = await ask({ port, ...forwarded(request) });
        if (!stepped || "refused" in stepped || isGone) continue;
        send(httpAnswer(request, stepped, nowMs()));
        if (!request.keepsOpen) return {};
      } else if (!isHttp) {
        return { error: "a simulated container is asked over HTTP/1.x alone" };
      } else if (hasFinished) {
        return {};
      } else {
        await new Promise<void>((resolve) => void (wake = resolve));
      }
    }
    return {};
  };
  return {
    receive: (bytes) => {
      // Nothing is kept of what cannot be understood.
      isHttp &&= !isGone && reader.take(bytes);
      wake();
    },
    finish: () => {
      hasFinished = true;
      wake();
    },
    drop: () => {
      isGone = true;
      wake();
    },
    done: run(),
  };
}

/** Whether the connection is kept is nobody's business but ours. */
function forwarded({ keepsOpen: _, ...request }: HttpRequest): Omit<ForwardStep, "port"> {
  return request;
}
