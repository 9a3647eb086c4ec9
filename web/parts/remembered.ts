// Layout settings that this browser remembers: sizes, collapsed parts, the density. They contain no data of sandboxes.
import { type ReadonlySignal, signal } from "@preact/signals";

const prefix = "sandbar.layout.";

export interface Remembered<T> {
  readonly value: ReadonlySignal<T>;
  set(value: T): void;
}

/** `isValid` checks what an earlier version may have written. */
export function remembered<T>(name: string, initial: T, isValid: (value: unknown) => value is T): Remembered<T> {
  const value = signal(read(prefix + name, isValid) ?? initial);
  return {
    value,
    set: (next) => {
      value.value = next;
      try {
        localStorage.setItem(prefix + name, JSON.stringify(next));
      } catch {
        // Without storage it lasts as long as the page.
      }
    },
  };
}

function read<T>(key: string, isValid: (value: unknown) => value is T): T | undefined {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(key) ?? "null");
    return isValid(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function isBoolean(value: unknown): value is boolean {
  return typeof value === "boolean";
}

export function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

/** Removes all choices, for the next person at this browser. */
export function forgetLayout(): void {
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith(prefix)) localStorage.removeItem(key);
  } catch {
    // Without storage nothing is remembered.
  }
}
