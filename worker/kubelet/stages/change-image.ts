// The image of a running container was changed in its pod: the container is stopped and started anew.
import { delay, end, isBeingStopped, isRunning, type PodLife, record } from "../life.ts";
import { imageChanged } from "./order.ts";
import type { Stage } from "./stage.ts";
import { stopOf } from "./stop.ts";

export const changeImage: Stage = {
  name: "change image",
  next(life, nowMs) {
    if (isBeingStopped(life)) return undefined;
    const container = life.containers.find(
      (one) => one.role !== "init" && one.role !== "ephemeral" && isRunning(one) && imageChanged(life, one),
    );
    if (!container) return undefined;
    return {
      // Until it has stopped, the pod's status says what it said before. A look later than the one that saw the change is late enough.
      atMs: wasSeen(life) ? nowMs : nowMs + delay(life, life.delays.stopMs, `change/${container.spec.name}`),
      apply(_, atMs) {
        const { name } = container.spec;
        const message =
          container.role === "sidecar"
            ? `Init container ${name} definition changed`
            : `Container ${name} definition changed, will be restarted`;
        record(life, "Normal", "Killing", message, container);
        end(container, atMs, stopOf(life, container, atMs));
      },
    };
  },
};

/** Whether an earlier look has seen what the pod asks for now. */
function wasSeen({ pod: { metadata, status } }: PodLife): boolean {
  return (status.observedGeneration ?? 0) === (metadata.generation ?? 0);
}
