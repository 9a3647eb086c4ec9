// Whether the command palette is asked for: by Ctrl+K (Cmd+K), or by a button. Small: it is loaded before the palette is.
import { signal } from "@preact/signals";

export const isPaletteOpen = signal(false);

export function askPalette(): void {
  isPaletteOpen.value = true;
}

addEventListener("keydown", (event) => {
  if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return;
  // In a terminal Ctrl+K deletes to the end of the line.
  if (event.target instanceof Element && event.target.closest(".xterm")) return;
  event.preventDefault();
  isPaletteOpen.value = !isPaletteOpen.value;
});
