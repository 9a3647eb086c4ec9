// Opens the command palette by Ctrl+K (Cmd+K) or a button. This module is small because it loads before the palette.
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
