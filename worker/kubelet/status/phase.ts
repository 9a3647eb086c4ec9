// Computes a pod's phase from its containers' states (upstream: the kubelet's `getPhase`).
import { type ContainerLife, isTerminalPhase, lastEnd, ofRole, type PodLife } from "../life.ts";
import { shouldRestart } from "../stages/order.ts";

export function phaseOf(life: PodLife): "Pending" | "Running" | "Succeeded" | "Failed" {
  const stored = life.pod.status.phase;
  // A terminal phase never changes.
  if (stored === "Succeeded" || stored === "Failed") return stored;
  if (life.refusal) return "Failed";
  const init = ofRole(life, "init");
  const main = ofRole(life, "main");
  const sidecars = ofRole(life, "sidecar");
  const running = [...main, ...sidecars].filter((container) => container.status.state.running);
  if (life.failing && (life.stopped || running.length === 0)) return "Failed";
  if (init.some((container) => failedForGood(life, container)))
    return life.stopped || running.length === 0 ? "Failed" : "Pending";
  if (init.some(isPending)) return terminalIfStopped(life, "Pending");
  const begun = main.some((container) => container.status.state.running || lastEnd(container.status));
  if (!begun && sidecars.some((sidecar) => !(sidecar.status.state.running && sidecar.status.started)))
    return terminalIfStopped(life, "Pending");
  if (main.some((container) => container.status.state.waiting && !lastEnd(container.status)))
    return terminalIfStopped(life, "Pending");
  if (running.length > 0) return "Running";
  const ends = main.map((container) => lastEnd(container.status)).filter((terminated) => terminated !== undefined);
  const restarting = main.some((container) => restartsAgain(life, container));
  if (restarting && !life.stopped) return "Running";
  return ends.every((terminated) => terminated.exitCode === 0) ? "Succeeded" : "Failed";
}

/** Returns Failed for a pod that is stopped for good, since its phase must be terminal. */
function terminalIfStopped(life: PodLife, phase: "Pending"): "Pending" | "Failed" {
  return life.stopped && !isTerminalPhase(phase) ? "Failed" : phase;
}

/** Reports whether a container has neither ended nor waits between two attempts. */
function isPending({ status }: ContainerLife): boolean {
  if (status.state.running) return true;
  return status.state.waiting !== undefined && status.lastState.terminated === undefined;
}

function failedForGood(life: PodLife, container: ContainerLife): boolean {
  const end = lastEnd(container.status);
  return end !== undefined && end.exitCode !== 0 && !shouldRestart(life, container, end.exitCode);
}

function restartsAgain(life: PodLife, container: ContainerLife): boolean {
  const end = lastEnd(container.status);
  return end !== undefined && shouldRestart(life, container, end.exitCode);
}
