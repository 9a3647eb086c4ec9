// Runs the alarm of an object: does what is due, in turns between which requests are answered and other sandboxes have their turns.
import { limits } from "../../../shared/base/limits.ts";
import { isRefusedAsFull } from "../../store/full.ts";
import type { CurrentCluster } from "../lifecycle/current-cluster.ts";
import { type Open, report } from "../open.ts";
import { unusableAlarmMs } from "../opening.ts";
import { type Alarm, alarmRetryMs, retryMsAfter } from "./alarm.ts";
import { runAndFlush } from "./flushed.ts";
import { drainsPerAlarm, isLater } from "./pace.ts";
import type { TurnQueue } from "./turn-queue.ts";
import type { TurnRunner } from "./turn-runner.ts";

export interface AlarmRunnerOptions {
  readonly current: CurrentCluster;
  readonly alarm: Alarm;
  readonly queue: TurnQueue;
  readonly turns: TurnRunner;
  /** Deletes everything that is stored, because the sandbox has expired. */
  destroy(): Promise<void>;
  /** Checks the free space of the machine's disk. */
  checkDiskSpace(): Promise<void>;
  /** Resolves when everything that was written is on disk. */
  onDisk(): Promise<void>;
  /** Counts a run in the usage of the sandbox. */
  count(): void;
  /** Makes the outbound calls that controllers wait for. */
  callOutside(open: Open): void;
}

export class AlarmRunner {
  readonly #options: AlarmRunnerOptions;

  constructor(options: AlarmRunnerOptions) {
    this.#options = options;
  }

  /** Throws only if the alarm cannot be set again: the platform drops an alarm that throws six times. */
  async run(): Promise<void> {
    const { current, alarm, turns, destroy, checkDiskSpace, count } = this.#options;
    alarm.forget();
    const isUsable = current.failure() === undefined;
    const { open } = current;
    try {
      // The object stays as it is until a version is deployed that can open it.
      if (!isUsable) return await alarm.set(Date.now() + unusableAlarmMs);
      if (!open) return;
      if (open.expiresAtMs <= Date.now()) return await destroy();
      if (open.suspended !== "") return turns.settle(open);
      open.tunnels.endExpired(Date.now());
      await checkDiskSpace();
      await this.#drain(open);
      // The sandbox may have been set to another state meanwhile.
      if (current.open) turns.settle(current.open);
      count();
    } catch (error) {
      if (!isRefusedAsFull(error)) report(error, "alarm");
      await alarm.set(Date.now() + retryMsAfter(error));
    }
  }

  /** Reconciles requests that may have killed the process: one at a time, after its key is on disk. */
  async drainCarefully(open: Open): Promise<void> {
    const { current, queue, onDisk, callOutside } = this.#options;
    for (let count = 0; count < limits.carefulPerAlarm; count++) {
      if (!runAndFlush(open, () => open.runtime.nextCareful())) return;
      await onDisk();
      await queue.next();
      if (current.open !== open) return;
      queue.measure(() => runAndFlush(open, () => open.runtime.reconcileCarefully()));
      callOutside(open);
    }
    open.runtime.rest();
  }

  async #drain(open: Open): Promise<void> {
    const { alarm, turns } = this.#options;
    // A run of the clock does what is due, and sets the alarm at its end.
    if (open.clock.isDriven) return void alarm.set(Date.now() + alarmRetryMs);
    await turns.drain(async () => {
      if (open.runtime.isCareful()) {
        // The alarm is set first, because careful work may kill the process.
        void alarm.set(Date.now() + alarmRetryMs);
        await this.drainCarefully(open);
      }
      await this.#drainInTurns(open);
    });
  }

  /** Reconciles until nothing is due, or the alarm has done its share. */
  async #drainInTurns(open: Open): Promise<void> {
    const { current, queue } = this.#options;
    // The writes of a burst that began before are in the queue already.
    if (open.burst.isOn) await open.burst.nextShown;
    for (let run = 0; run < drainsPerAlarm; run++) {
      await queue.next();
      if (current.open !== open) return;
      const drain = () =>
        runAndFlush(open, () => open.runtime.drain(limits.drainPerAlarm, open.burst.before, isLater()));
      if (queue.measure(drain) < limits.drainPerAlarm) return;
      await scheduler.wait(0);
    }
  }
}
