// The one alarm of a cluster's object: when it is set for, as far as that is known.
import { BoundedCache } from "../../../shared/base/bounded-cache.ts";
import { isStorageFull } from "../../../shared/base/disk/storage-full.ts";
import { UnusableObjectError } from "../../../shared/k8s/bounds/unusable-object.ts";
import { isRefusedAsFull } from "../../store/full.ts";
import { unusableAlarmMs } from "../opening.ts";

/** Objects of this isolate whose alarm was to be set as they were opened, and when: what is here still may have been reset by it. */
const tried = new BoundedCache<string, number>(1_000);
const tryMs = 30_000;

/** Milliseconds after a run that failed, or may be about to be killed. */
export const alarmRetryMs = 5_000;
/** After a run for which there was no room. */
const fullRetryMs = 60_000;

/** Returns how long after a run that failed the next one comes. */
export function retryMsAfter(error: unknown): number {
  if (error instanceof UnusableObjectError) return unusableAlarmMs;
  return isRefusedAsFull(error) ? fullRetryMs : alarmRetryMs;
}

export class Alarm {
  readonly #storage: DurableObjectStorage;
  readonly #id: string;
  #dueMs: number | undefined;

  /** `id`: the object's. */
  constructor(storage: DurableObjectStorage, id: string) {
    this.#storage = storage;
    this.#id = id;
  }

  /** Milliseconds since 1970 of the next run; infinite where none is known of. */
  get dueMs(): number {
    return this.#dueMs ?? Number.POSITIVE_INFINITY;
  }

  /** Finds out what it is set for. */
  async read(): Promise<void> {
    this.#dueMs = (await this.#storage.getAlarm()) ?? undefined;
  }

  /** Forgets the alarm, because it runs or was deleted with the storage. */
  forget(): void {
    this.#dueMs = undefined;
  }

  /** Sets the alarm. A full disk is no error, because the next turn sets the alarm again. */
  async set(dueMs: number): Promise<void> {
    this.#dueMs = dueMs;
    try {
      await this.#storage.setAlarm(dueMs);
    } catch (error) {
      if (this.#dueMs === dueMs) this.#dueMs = undefined;
      if (!isStorageFull(error)) throw error;
    }
  }

  /** Once it is known, it is not set again for nothing; if the platform has dropped it, it is set. */
  async keepAtOpening(ctx: DurableObjectState, dueMs: () => number): Promise<void> {
    await ctx.blockConcurrencyWhile(() => this.read());
    if (this.dueMs > dueMs()) await this.setAtOpening(dueMs());
  }

  /**
   * Sets the alarm at the opening. If the disk is full, the platform resets the object and the request that opened it fails. So this is tried
   * rarely, and requests in between can read.
   */
  async setAtOpening(dueMs: number): Promise<void> {
    if ((tried.get(this.#id) ?? 0) > Date.now() - tryMs) return;
    tried.set(this.#id, Date.now());
    await this.set(dueMs);
    await this.#storage.sync();
    tried.delete(this.#id);
  }
}
