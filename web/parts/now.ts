// The current time in steps of a second, updated only while a component shows it.
import { signal } from "@preact/signals";

const secondMs = 1000;

export const nowMs = signal(Date.now());

setInterval(() => {
  if (!document.hidden) nowMs.value = Date.now();
}, secondMs);
document.addEventListener("visibilitychange", () => {
  nowMs.value = Date.now();
});
