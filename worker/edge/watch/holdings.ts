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

interface Held {
  readonly holder: Holder;
  bytes: number;
  isExpired: boolean;
}

interface SandboxHeld {
  bytes: number;
  /** The watches that hold data, in the order in which they began to. */
  readonly watches: Set<Held>;
}

export class Holdings {
  readonly #bounds: HoldingBounds;
  readonly #sandboxes = new Map<string, SandboxHeld>();
  #totalBytes = 0;

  constructor(bounds: HoldingBounds) {
    this.#bounds = bounds;
  }

  /** The bytes of all watches. */
  get bytes(): number {
    return this.#totalBytes;
  }

  open(sandbox: string, holder: Holder): Holding {
    const held: Held = { holder, bytes: 0, isExpired: false };
    return {
      add: (bytes) => {
        this.#change(sandbox, held, bytes);
        this.#shrink(sandbox);
      },
      remove: (bytes) => this.#change(sandbox, held, -Math.min(bytes, held.bytes)),
      hasRoom: (bytes) => {
        const { sandboxBytes, totalBytes } = this.#bounds;
        const used = this.#sandboxes.get(sandbox)?.bytes ?? 0;
        return used + bytes <= sandboxBytes && this.#totalBytes + bytes <= totalBytes;
      },
      close: () => this.#change(sandbox, held, -held.bytes),
    };
  }

  #change(sandbox: string, held: Held, bytes: number): void {
    if (bytes === 0) return;
    const all = this.#sandboxes.get(sandbox) ?? { bytes: 0, watches: new Set<Held>() };
    this.#sandboxes.set(sandbox, all);
    this.#totalBytes += bytes;
    all.bytes += bytes;
    held.bytes += bytes;
    if (held.bytes > 0) all.watches.add(held);
    else all.watches.delete(held);
    if (all.watches.size === 0) this.#sandboxes.delete(sandbox);
  }

  #shrink(sandbox: string): void {
    const { sandboxBytes, totalBytes } = this.#bounds;
    const account = this.#sandboxes.get(sandbox);
    while (account && account.bytes > sandboxBytes && endOne(account));
    while (this.#totalBytes > totalBytes) {
      let largest: SandboxHeld | undefined;
      for (const account of this.#sandboxes.values()) if (!largest || account.bytes > largest.bytes) largest = account;
      if (!largest || !endOne(largest)) return;
    }
  }
}

/** Ends the watch that has held data the longest: with `Expired`, or by aborting it if all are expiring already. */
function endOne({ watches }: SandboxHeld): boolean {
  for (const held of watches) {
    if (held.isExpired) continue;
    held.isExpired = true;
    held.holder.expire();
    return true;
  }
  const [first] = watches;
  if (!first) return false;
  first.holder.cut();
  return !watches.has(first);
}
