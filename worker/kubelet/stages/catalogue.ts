// The stages of a pod's life. If two stages offer a move at the same time, the earlier in this list goes first.
import { accept } from "./accept.ts";
import { changeImage } from "./change-image.ts";
import { retrySync } from "./configuration.ts";
import { crash } from "./crash.ts";
import { passDeadline, stopAtDeadline } from "./deadline.ts";
import { endByItself } from "./end.ts";
import { observe } from "./observe.ts";
import { evict } from "./evict.ts";
import { kill } from "./kill.ts";
import { answerProbes } from "./probes.ts";
import { finishResize, resize } from "./resize.ts";
import { retryPull } from "./retry-pull.ts";
import { releaseSidecars } from "./sidecars.ts";
import type { Stage } from "./stage.ts";
import { recordAssumptions } from "./record-assumptions.ts";
import { start } from "./start.ts";
import { killUnhealthy, recordFailures } from "./unhealthy.ts";
import { announceStop, stop } from "./termination.ts";

export const stages: readonly Stage[] = [
  accept,
  announceStop,
  observe,
  passDeadline,
  evict,
  kill,
  recordFailures,
  recordAssumptions,
  endByItself,
  killUnhealthy,
  changeImage,
  resize,
  finishResize,
  start,
  answerProbes,
  retryPull,
  crash,
  retrySync,
  releaseSidecars,
  stopAtDeadline,
  stop,
];
