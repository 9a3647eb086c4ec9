// Bounds the memory that slow watchers hold at the edge: queued events, events being written, and data of WebSockets. The bounds apply to
// each sandbox and in total. Beyond a bound, the watches that have held data the longest end first.

export interface HoldingBounds {
  readonly sandboxBytes: number;
  readonly totalBytes: number;
}

/** A watch that holds memory. Both methods release bytes before they return. */
export interface Holder {
  /** Drops the queue. The watch ends with `Expired` after the client has received the current write. */
  expire(): void;
  /** Aborts the watch. */
  cut(): void;
}

/** The memory account of one watch. */
export interface Holding {
  add(bytes: number): void;
  remove(bytes: number): void;
  /** Reports whether more bytes can be held without ending a watch. */
  hasRoom(bytes: number): boolean;
  close(): void;
}

interface WatchBytes {
  readonly holder: Holder;
  bytes: number;
  isExpired: boolean;
}

interface SandboxBytes {
  bytes: number;
  /** The watches that hold data, in the order in which they began to. */
  readonly watches: Set<WatchBytes>;
}

export class Holdings {
  readonly #bounds: HoldingBounds;
  readonly #sandboxes = new Map<string, SandboxBytes>();
  #totalBytes = 0;

  constructor(bounds: HoldingBounds) {
    this.#bounds = bounds;
  }

  /** The bytes of all watches. */
  get bytes(): number {
    return this.#totalBytes;
  }

  open(sandbox: string, holder: Holder): Holding {
    const watch: WatchBytes = { holder, bytes: 0, isExpired: false };
    return {
      add: (bytes) => {
        this.#change(sandbox, watch, bytes);
        this.#shrink(sandbox);
      },
      remove: (bytes) => this.#change(sandbox, watch, -Math.min(bytes, watch.bytes)),
      hasRoom: (bytes) => {
        const { sandboxBytes, totalBytes } = this.#bounds;
        const used = this.#sandboxes.get(sandbox)?.bytes ?? 0;
        return used + bytes <= sandboxBytes && this.#totalBytes + bytes <= totalBytes;
      },
      close: () => this.#change(sandbox, watch, -watch.bytes),
    };
  }

  #change(sandbox: string, watch: WatchBytes, bytes: number): void {
    if (bytes === 0) return;
    const all = this.#sandboxes.get(sandbox) ?? { bytes: 0, watches: new Set<WatchBytes>() };
    this.#sandboxes.set(sandbox, all);
    this.#totalBytes += bytes;
    all.bytes += bytes;
    watch.bytes += bytes;
    if (watch.bytes > 0) all.watches.add(watch);
    else all.watches.delete(watch);
    if (all.watches.size === 0) this.#sandboxes.delete(sandbox);
  }

  #shrink(sandbox: string): void {
    const { sandboxBytes, totalBytes } = this.#bounds;
    const account = this.#sandboxes.get(sandbox);
    while (account && account.bytes > sandboxBytes && endOne(account));
    while (this.#totalBytes > totalBytes) {
      let largest: SandboxBytes | undefined;
      for (const account of this.#sandboxes.values()) if (!largest || account.bytes > largest.bytes) largest = account;
      if (!largest || !endOne(largest)) return;
    }
  }
}

/** Ends the watch that has held data the longest: with `Expired`, or by aborting it if all are expiring already. */
function endOne({ watches }: SandboxBytes): boolean {
  for (const watch of watches) {
    if (watch.isExpired) continue;
    watch.isExpired = true;
    watch.holder.expire();
    return true;
  }
  const [first] = watches;
  if (!first) return false;
  first.holder.cut();
  return !watches.has(first);
}
