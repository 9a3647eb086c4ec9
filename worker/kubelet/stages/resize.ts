// Resizes a running pod in place: applies the new resources if the node has room, and defers the resize if it has not.
import type { Container, ResourceRequirements } from "../../../shared/k8s/api/core-v1.ts";
import { semanticEqual } from "../../../shared/k8s/equal.ts";
import { type ContainerLife, end, isBeingStopped, isTerminalPhase, type PodLife, recordEvent } from "../life.ts";
import type { Stage } from "./stage.ts";
import { stopOf } from "./stop.ts";

export const resize: Stage = {
  name: "resize",
  next(life, nowMs) {
    const { metadata, status } = life.pod;
    if (isBeingStopped(life) || isTerminalPhase(status.phase) || life.resizing) return undefined;
    const { generation = 0 } = metadata;
    if (life.actualResources.size === 0) {
      if (!life.resizePending) return undefined;
      return { atMs: nowMs, apply: () => void (life.resizePending = undefined) };
    }
    const refusal = life.node.refusesResize?.();
    if (!refusal) return { atMs: nowMs, apply: (_, atMs) => begin(life, atMs) };
    const { resizePending } = life;
    if (resizePending?.generation === generation && resizePending.message === refusal.message) return undefined;
    return {
      atMs: nowMs,
      apply: () => {
        life.resizePending = { reason: "Deferred", message: refusal.message, generation };
        recordResize(life, "Warning", "ResizeDeferred", `Pod resize ${refusal.reason}`, refusal.message);
      },
    };
  },
};

function begin(life: PodLife, atMs: number): void {
  life.resizePending = undefined;
  life.resizing = { sinceMs: atMs, generation: life.pod.metadata.generation ?? 0 };
  recordResize(life, "Normal", "ResizeStarted", "Pod resize started");
}

/** Completes a resize: the runtime has applied the new resources. Containers whose resize policy requires it are restarted. */
export const finishResize: Stage = {
  name: "finish resize",
  next(life) {
    const { resizing } = life;
    if (!resizing || isBeingStopped(life)) return undefined;
    return {
      atMs: resizing.sinceMs + life.node.runtime.latency.updateContainerResources(life.pod, resizing.generation),
      apply(_, atMs) {
        for (const container of life.containers) {
          const before = life.actualResources.get(container.spec.name);
          if (before && needsRestart(container.spec, before)) restart(life, container, atMs);
        }
        life.actualResources.clear();
        life.resizing = undefined;
        recordResize(life, "Normal", "ResizeCompleted", "Pod resize completed");
      },
    };
  },
};

function restart(life: PodLife, container: ContainerLife, atMs: number): void {
  recordEvent(life, "Normal", "Killing", `Container ${container.spec.name} resize requires restart`, container);
  end(container, atMs, stopOf(life, container, atMs));
}

/** Reports whether a changed resource requires a restart of the container (upstream: `determineContainerResize`). */
function needsRestart({ resources, resizePolicy }: Container, before: ResourceRequirements): boolean {
  return (resizePolicy ?? []).some(({ resourceName, restartPolicy }) => {
    const of = ({ requests, limits }: ResourceRequirements) => [requests?.[resourceName], limits?.[resourceName]];
    return restartPolicy === "RestartContainer" && !semanticEqual(of(resources), of(before));
  });
}

function recordResize(life: PodLife, type: "Normal" | "Warning", reason: string, what: string, error?: string): void {
  const { initContainers, containers } = life.pod.spec;
  const list = (all: readonly Container[] | undefined) => all?.map(({ name, resources }) => ({ name, resources }));
  const summary = {
    ...(initContainers?.length ? { initContainers: list(initContainers) } : {}),
    containers: list(containers),
    generation: life.pod.metadata.generation ?? 0,
    ...(error === undefined ? {} : { error }),
  };
  recordEvent(life, type, reason, `${what}: ${JSON.stringify(summary)}`);
}
