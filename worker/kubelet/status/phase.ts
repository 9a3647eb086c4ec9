// A pod's phase from its containers' states (upstream: the kubelet's `getPhase`).
import { type ContainerLife, isTerminalPhase, lastEnd, ofRole, type PodLife } from "../life.ts";
import { restarts } from "../stages/order.ts";

export function phaseOf(life: PodLife): "Pending" | "Running" | "Succeeded" | "Failed" {
  const stored = life.pod.status.phase;
  // A phase that is an end is never left.
  if (stored === "Succeeded" || stored === "Failed") return stored;
  if (life.refusal) return "Failed";
  const init = ofRole(life, "init");
  const main = ofRole(life, "main");
  const sidecars = ofRole(life, "sidecar");
  const running = [...main, ...sidecars].filter((one) => one.status.state.running);
  if (life.failing && (life.stopped || running.length === 0)) return "Failed";
  if (init.some((one) => failedForGood(life, one))) return life.stopped || running.length === 0 ? "Failed" : "Pending";
  if (init.some(isPending)) return ended(life, "Pending");
  const begun = main.some((one) => one.status.state.running || lastEnd(one.status));
  if (!begun && sidecars.some((one) => !(one.status.state.running && one.status.started)))
    return ended(life, "Pending");
  if (main.some((one) => one.status.state.waiting && !lastEnd(one.status))) return ended(life, "Pending");
  if (running.length > 0) return "Running";
  const ends = main.map((one) => lastEnd(one.status)).filter((one) => one !== undefined);
  const restarting = main.some((one) => restartsAgain(life, one));
  if (restarting && !life.stopped) return "Running";
  return ends.every((one) => one.exitCode === 0) ? "Succeeded" : "Failed";
}

/** A pod that is stopped for good has a phase that is an end. */
function ended(life: PodLife, phase: "Pending"): "Pending" | "Failed" {
  return life.stopped && !isTerminalPhase(phase) ? "Failed" : phase;
}

/** Neither done nor in between two attempts. */
function isPending({ status }: ContainerLife): boolean {
  if (status.state.running) return true;
  return status.state.waiting !== undefined && status.lastState.terminated === undefined;
}

function failedForGood(life: PodLife, container: ContainerLife): boolean {
  const end = lastEnd(container.status);
  return end !== undefined && end.exitCode !== 0 && !restarts(life, container, end.exitCode);
}

function restartsAgain(life: PodLife, container: ContainerLife): boolean {
  const end = lastEnd(container.status);
  return end !== undefined && restarts(life, container, end.exitCode);
}
