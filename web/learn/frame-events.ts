// Tells a page that frames the learner's page what happens. Who may frame it is signed into its address; no token is among this.
import type { Run } from "../../shared/contract/lesson.ts";
import { eventsOf } from "./lesson-events.ts";

/** `before` is absent when the page has just been opened. */
export function tellFrame(now: Run, before: Run | undefined): void {
  if (parent === window) return;
  for (const event of eventsOf(now, before)) parent.postMessage(event, "*");
}
