// The time as the page shows it, a second at a time, and only while somebody looks.
import { signal } from "@preact/signals";

const secondMs = 1000;

export const nowMs = signal(Date.now());

setInterval(() => {
  if (!document.hidden) nowMs.value = Date.now();
}, secondMs);
document.addEventListener("visibilitychange", () => {
  nowMs.value = Date.now();
});
