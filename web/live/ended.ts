// Decides whether to reconnect to a sandbox. Connections that are lost at the same time share one request.
import { type ReadonlySignal, signal } from "@preact/signals";
import { ListRefused } from "./informer.ts";

/** The reason why the sandbox is not used any more. The status is the API's: 410 if the sandbox has expired. */
export interface Ended {
  readonly status: number;
  readonly message: string;
}

export interface ConnectionGate {
  readonly ended: ReadonlySignal<Ended | undefined>;
  /** Throws a `ListRefused` if reconnecting is pointless. Concurrent calls share one request. */
  pass(): Promise<void>;
  end(why: Ended): void;
}

const finalStatuses = new Set([401, 403, 404, 410]);

/** Creates a gate. `look` throws a `ListRefused` if the sandbox does not answer. */
export function newConnectionGate(look: () => Promise<void>): ConnectionGate {
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
