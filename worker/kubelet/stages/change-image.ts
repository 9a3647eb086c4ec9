// Restarts a running container whose image was changed in its pod.
import { delay, end, isBeingStopped, isRunning, type PodLife, recordEvent } from "../life.ts";
import { imageChanged } from "./order.ts";
import type { Stage } from "./stage.ts";
import { stopOf } from "./stop.ts";

export const changeImage: Stage = {
  name: "change image",
  next(life, nowMs) {
    if (isBeingStopped(life)) return undefined;
    const container = life.containers.find(
      (candidate) =>
        candidate.role !== "init" &&
        candidate.role !== "ephemeral" &&
        isRunning(candidate) &&
        imageChanged(life, candidate),
    );
    if (!container) return undefined;
    return {
      // The status does not change until the container has stopped, so the stop takes effect in a later sync than the one that saw the change.
      atMs: wasSeen(life) ? nowMs : nowMs + delay(life, life.delays.stopMs, `change/${container.spec.name}`),
      apply(_, atMs) {
        const { name } = container.spec;
        const message =
          container.role === "sidecar"
            ? `Init container ${name} definition changed`
            : `Container ${name} definition changed, will be restarted`;
        recordEvent(life, "Normal", "Killing", message, container);
        end(container, atMs, stopOf(life, container, atMs));
      },
    };
  },
};

/** Reports whether an earlier sync has seen the pod's present generation. */
function wasSeen({ pod: { metadata, status } }: PodLife): boolean {
  return (status.observedGeneration ?? 0) === (metadata.generation ?? 0);
}
