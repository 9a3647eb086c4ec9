// The kubelet sees a pod for the first time: it sets the start time and pulls the first image.
import { isTerminalPhase, recordEvent } from "../life.ts";
import { announceMount } from "./configuration.ts";
import type { Stage } from "./stage.ts";
import { announcePull } from "./start.ts";

export const accept: Stage = {
  name: "accept",
  next(life, nowMs) {
    const { pod } = life;
    if (!Number.isNaN(life.startMs) || isTerminalPhase(pod.status.phase)) return undefined;
    return {
      atMs: nowMs,
      apply(_, atMs) {
        life.startMs = atMs;
        life.refusal = life.node.refuses?.();
        if (life.refusal) {
          recordEvent(life, "Warning", life.refusal.reason, life.refusal.message);
          life.stopped = true;
          return;
        }
        life.observed = pod.metadata.deletionTimestamp === undefined;
        announceMount(life);
        announcePull(life, atMs);
      },
    };
  },
};
