// Whether it makes sense to go on asking a sandbox: asked once for all that lost their connection at the same time.
import type { ReadonlySignal } from "@preact/signals";
import { signal } from "@preact/signals";
import { ListRefused } from "./informer.ts";

/** Why nothing more is asked; the status is the API's: 410 where the sandbox has expired. */
export interface Ended {
  readonly status: number;
  readonly message: string;
}

export interface Gate {
  readonly ended: ReadonlySignal<Ended | undefined>;
  /** Throws a `ListRefused` where it makes no sense to go on. However many ask at once, one request is made. */
  pass(): Promise<void>;
  end(why: Ended): void;
}

const finalStatuses = new Set([401, 403, 404, 410]);

/** `look` throws a `ListRefused` where the sandbox does not answer. */
export function newGate(look: () => Promise<void>): Gate {
  const ended = signal<Ended | undefined>(undefined);
  let looking: Promise<void> | undefined;
  const refuse = ({ status, message }: Ended) => {
    throw new ListRefused(status, message);
  };
  return {
    ended,
    end: (why) => {
      ended.value ??= why;
    },
    async pass() {
      if (ended.value) refuse(ended.value);
      looking ??= look()
        .catch((error: unknown) => {
          if (error instanceof ListRefused && finalStatuses.has(error.status)) {
            ended.value = { status: error.status, message: error.message };
          }
          throw error;
        })
        .finally(() => {
          looking = undefined;
        });
      await looking;
    },
  };
}
