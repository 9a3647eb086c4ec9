// The texts of the timeline below a sandbox's page.
import { ofReader } from "./language.ts";

const en = {
  timeline: "Timeline",
  moment: "Moment that is shown",
  now: "Now",
  backToNow: "Back to now",
  past: (time: string) => `As it was at ${time}. Nothing can be changed here.`,
  previous: "Previous change",
  next: "Next change",
  clock: "Clock of the sandbox",
  pause: "Pause the clock",
  run: "Run the clock",
  paused: "paused",
  speed: "Speed of the clock",
  step: "Run a minute",
  times: (factor: number) => `${factor}×`,
};

export const texts = ofReader({ en });
