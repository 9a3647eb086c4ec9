// The image of a running container was changed in its pod: the container is stopped and started anew.
import { end, isBeingStopped, isRunning, record } from "../life.ts";
import { imageChanged } from "./order.ts";
import type { Stage } from "./stage.ts";
import { stopOf } from "./stop.ts";

export const changeImage: Stage = {
  name: "change image",
  next(life, nowMs) {
    if (isBeingStopped(life)) return undefined;
    const container = life.containers.find(
      (one) => one.role !== "init" && one.role !== "ephemeral" && isRunning(one) && imageChanged(one),
    );
    if (!container) return undefined;
    return {
      atMs: nowMs,
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
