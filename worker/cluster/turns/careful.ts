// The careful run: one request at a time, whose name is on disk before it is begun.
import { limits } from "../../../shared/base/limits.ts";
import type { Open } from "../open.ts";
import { flushed } from "./flushed.ts";

export interface CarefulRun {
  /** Reports whether the object still holds that cluster. */
  isOpen(): boolean;
  /** Resolves once everything written is on disk. */
  sync(): Promise<void>;
  /** Called after each request. */
  then(): void;
}

export async function drainCarefully(open: Pick<Open, "runtime" | "watches">, run: CarefulRun): Promise<void> {
  const { runtime } = open;
  for (let done = 0; done < limits.carefulPerAlarm; done++) {
    if (!flushed(open, () => runtime.nextCareful())) return;
    await run.sync();
    if (!run.isOpen()) return;
    flushed(open, () => runtime.reconcileCarefully());
    run.then();
  }
  runtime.rest();
}
