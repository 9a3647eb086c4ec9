// The memory that slow watchers hold at the edge: events that wait for a client, those that are being written, and what WebSockets were sent.
// It is bounded for each sandbox and in total. Past a bound those go first that have held something for the longest time.

export interface HoldingBounds {
  readonly sandboxBytes: number;
  readonly totalBytes: number;
}

/** Both release bytes before they return. */
export interface Holder {
  /** Drops what waits; the watch ends with `Expired` as soon as the client has taken what is being written. */
  expire(): void;
  /** Breaks the watch off. */
  cut(): void;
}

/** What one watch holds. */
export interface Holding {
  add(bytes: number): void;
  remove(bytes: number): void;
  /** Reports whether so many bytes more can be held without ending a watch. */
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
  /** Those that hold something, in the order in which they began to. */
  readonly watches: Set<Held>;
}

export class Holdings {
  readonly #bounds: HoldingBounds;
  readonly #sandboxes = new Map<string, SandboxHeld>();
  #totalBytes = 0;

  constructor(bounds: HoldingBounds) {
    this.#bounds = bounds;
  }

  /** The bytes that all watches hold. */
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
    const own = this.#sandboxes.get(sandbox);
    while (own && own.bytes > sandboxBytes && endOne(own));
    while (this.#totalBytes > totalBytes) {
      let largest: SandboxHeld | undefined;
      for (const one of this.#sandboxes.values()) if (!largest || one.bytes > largest.bytes) largest = one;
      if (!largest || !endOne(largest)) return;
    }
  }
}

/** Ends the watch that has held something for the longest time: by `Expired`, or if all of them are ending so, by cutting one off. */
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
