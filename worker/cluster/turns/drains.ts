// What an alarm does of the controllers' work, in turns between which requests are answered and other sandboxes have theirs.
import { limits } from "../../../shared/base/limits.ts";
import type { TurnOrder } from "../../api/api-server.ts";
import type { Open } from "../open.ts";
import { flushed } from "./flushed.ts";
import { drainsPerAlarm, isLater } from "./pace.ts";

export interface DrainHost {
  readonly turns: TurnOrder;
  /** Reports whether the cluster is still the one that is open. */
  isCurrent(): boolean;
  /** Resolves once everything that was written is on disk. */
  onDisk(): Promise<void>;
  askOutside(): void;
}

/** Reconciles what is due, until nothing is or the alarm has done its share. */
export async function drainInTurns(open: Open, { turns, isCurrent }: DrainHost): Promise<void> {
  // If a burst began before, its writes are in the queue already.
  if (open.burst.isOn) await open.burst.shown;
  for (let run = 0; run < drainsPerAlarm; run++) {
    await turns.next();
    if (!isCurrent()) return;
    const drain = () => flushed(open, () => open.runtime.drain(limits.drainPerAlarm, open.burst.before, isLater()));
    if (turns.measure(drain) < limits.drainPerAlarm) return;
    await scheduler.wait(0);
  }
}

/** Reconciles one request at a time, its name on disk before it begins. */
export async function drainCarefully(open: Open, { turns, isCurrent, onDisk, askOutside }: DrainHost): Promise<void> {
  for (let done = 0; done < limits.carefulPerAlarm; done++) {
    if (!flushed(open, () => open.runtime.nextCareful())) return;
    await onDisk();
    await turns.next();
    if (!isCurrent()) return;
    turns.measure(() => flushed(open, () => open.runtime.reconcileCarefully()));
    askOutside();
  }
  open.runtime.rest();
}
