// A colored status that flashes when it changes.
import { useRef } from "preact/hooks";
import type { Status } from "../live/status.ts";

export function Chip({ status }: { readonly status: Status }) {
  const lastText = useRef(status.text);
  const changes = useRef(0);
  if (lastText.current !== status.text) {
    lastText.current = status.text;
    changes.current += 1;
  }
  // A new key creates a new element, which restarts the animation.
  return (
    <span key={changes.current} class={`chip ${status.tone}${changes.current > 0 ? " changed" : ""}`}>
      {status.text}
    </span>
  );
}
