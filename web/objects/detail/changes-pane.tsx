// What changed of an object.
import type { PaneProps } from "./detail.tsx";

export function ChangesPane(_: PaneProps) {
  return null;
}
