// The dock that opens terminals and logs of an object's page. Without a dock, nothing is opened.
import { signal } from "@preact/signals";
import type { ObjectRef } from "../live/reference.ts";

/** Opens a terminal and runs a line in it, such as `kubectl exec -it web -- sh`. */
export const terminal = signal<((line: string) => void) | undefined>(undefined);

/** Shows the logs of an object in the dock. */
export const dockLogs = signal<((of: ObjectRef) => void) | undefined>(undefined);
