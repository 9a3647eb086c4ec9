// Where a terminal is opened from the pages of objects: nowhere, until one is set.
import { signal } from "@preact/signals";

/** Opens a terminal and runs a line in it, such as `kubectl exec -it web -- sh`. */
export const terminal = signal<((line: string) => void) | undefined>(undefined);
