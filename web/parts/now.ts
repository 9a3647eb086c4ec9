// The current time in steps of a second, updated only while a component shows it.
import { computed, signal } from "@preact/signals";

const secondMs = 1000;

export const nowMs = signal(Date.now());

/** Returns the time of the sandbox that is shown. Undefined: the browser's. */
export const clusterNow = signal<(() => number) | undefined>(undefined);

/** The time by which ages are shown. */
export const shownNowMs = computed(() => {
  const browserMs = nowMs.value;
  return clusterNow.value?.() ?? browserMs;
});

setInterval(() => {
  if (!document.hidden) nowMs.value = Date.now();
}, secondMs);
document.addEventListener("visibilitychange", () => {
  nowMs.value = Date.now();
});
