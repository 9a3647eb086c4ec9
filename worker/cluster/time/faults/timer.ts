// The controller that begins and ends faults at their times, and applies their effects on the cluster itself.
import { type Controller, defineController } from "../../../runtime/controller.ts";
import { applyEffects, type EffectHost } from "./effects.ts";
import type { FaultEngine } from "./engine.ts";

export const faultController = "sandbar-faults";

export function faultTimer(engine: FaultEngine, host: () => Omit<EffectHost, "client" | "nowMs">): Controller {
  return defineController({
    name: faultController,
    user: "system:sandbar:faults",
    component: "sandbar-faults",
    watches: [],
    reconcile(_request, { client, nowMs }) {
      const effectHost = host();
      engine.tick(nowMs);
      applyEffects(engine, { ...effectHost, client, nowMs });
      const nextMs = engine.tick(nowMs);
      return nextMs === undefined ? undefined : { afterMs: nextMs - nowMs };
    },
  });
}
