// A status in its colour, which lights up when it changes.
import { useRef } from "preact/hooks";
import type { Status } from "../live/status.ts";

export function Chip({ status }: { readonly status: Status }) {
  const shown = useRef(status.text);
  const changes = useRef(0);
  if (shown.current !== status.text) {
    shown.current = status.text;
    changes.current += 1;
  }
  // A new key makes a new element, and so the animation begins again.
  return (
    <span key={changes.current} class={`chip ${status.tone}${changes.current > 0 ? " changed" : ""}`}>
      {status.text}
    </span>
  );
}
