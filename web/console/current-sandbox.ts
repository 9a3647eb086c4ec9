// The facts of a sandbox that change while its page is open: its phase and its number of nodes.
import { useLayoutEffect, useState } from "preact/hooks";
import type { ShownSandbox } from "../../shared/contract/sandbox.ts";
import type { Control } from "../api/control.ts";

/** The interval at which the facts are read again while the sandbox is pending, and otherwise. */
const intervalMs = { pending: 2_000, other: 15_000 };

/** Returns the newest known sandbox, and a function that replaces it. Nothing is read after the end, or while the page is hidden. */
export function useCurrentSandbox(control: Control, sandbox: ShownSandbox, isOver: boolean) {
  const [current, setCurrent] = useState(sandbox);
  const { id } = sandbox;
  const ms = current.phase === "Pending" ? intervalMs.pending : intervalMs.other;
  // Before the end is painted, the timer is cleared: an effect would leave it a moment in which it reads once more.
  useLayoutEffect(() => {
    if (isOver) return;
    const timer = setInterval(() => {
      if (document.hidden) return;
      // A failed read is repeated at the next interval.
      control.find(id).then(
        (newest) => newest && setCurrent(newest),
        () => undefined,
      );
    }, ms);
    return () => clearInterval(timer);
  }, [control, id, isOver, ms]);
  return [current.id === id ? current : sandbox, setCurrent] as const;
}
