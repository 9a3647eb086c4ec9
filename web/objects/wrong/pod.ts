// Diagnoses a pod by its conditions, the states of its containers, and its events.
import type { ContainerStatus, Event, Pod } from "../../../shared/k8s/api/core-v1.ts";
import { summarize } from "../../../shared/k8s/pod-summary.ts";
import { messages } from "../../messages.ts";
import { meaningOf } from "./exit-codes.ts";
import { type Finding, conditionOf, finding, warning } from "./finding.ts";
import { whyNoNode } from "./scheduling.ts";

const { pod: podTexts, container: containerTexts } = messages.wrong;

/** Returns undefined if the pod is healthy. */
export function wrongWithPod(pod: Pod, events: readonly Event[]): Finding | undefined {
  const { metadata, status } = pod;
  if (metadata.deletionTimestamp) return leaving(pod);
  if (status.phase === "Succeeded") return undefined;
  if (status.reason === "Evicted") return finding("bad", podTexts.evicted(status.message ?? ""));
  const waiting = withoutNode(pod);
  if (waiting) return waiting;
  const containers = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  for (const container of containers) {
    const diagnosis = wrongWithContainer(container, pod, events);
    if (diagnosis) return diagnosis;
  }
  const mount = warning(events, "FailedMount", "FailedAttachVolume");
  const isCreating = containers.every(({ state }) => state.waiting);
  if (mount && isCreating) return finding("bad", podTexts.mount(mount.message ?? ""), podTexts.mountNext);
  const sandbox = warning(events, "FailedCreatePodSandBox");
  if (sandbox && isCreating) return finding("bad", sandbox.message ?? "");
  if (status.phase === "Failed") return finding("bad", status.message || podTexts.failed);
  return notReady(pod, events);
}

function withoutNode({ spec, status }: Pod): Finding | undefined {
  const scheduled = conditionOf(status.conditions, "PodScheduled");
  if (scheduled?.status !== "False") return spec.nodeName ? undefined : finding("busy", podTexts.notYetScheduled);
  if (scheduled.reason === "SchedulingGated") {
    return finding("idle", podTexts.gated((spec.schedulingGates ?? []).map(({ name }) => name).join(", ")));
  }
  return finding("bad", whyNoNode(scheduled.message ?? ""), podTexts.noNodeNext);
}

function leaving({ metadata, spec }: Pod): Finding {
  const finalizers = metadata.finalizers ?? [];
  if (finalizers.length > 0) {
    return finding("bad", podTexts.finalizers(finalizers.join(", "), finalizers.length), podTexts.finalizersNext);
  }
  return finding(
    "busy",
    podTexts.leaving(metadata.deletionGracePeriodSeconds ?? spec.terminationGracePeriodSeconds ?? 30),
  );
}

function wrongWithContainer(status: ContainerStatus, pod: Pod, events: readonly Event[]): Finding | undefined {
  const { name, state, restartCount } = status;
  const { waiting, terminated } = state;
  const message = waiting?.message ?? "";
  switch (waiting?.reason) {
    case "CrashLoopBackOff":
      return crashed(status, pod, events);
    case "ErrImagePull":
    case "ImagePullBackOff":
      return finding(
        "bad",
        containerTexts.noImage(name, imageProblem(status, message, events)),
        containerTexts.noImageNext,
      );
    case "InvalidImageName":
      return finding("bad", containerTexts.badImage(name, status.image || message));
    case "ErrImageNeverPull":
      return finding("bad", containerTexts.neverPulled(name, message));
    case "CreateContainerConfigError":
      return finding("bad", containerTexts.config(name, message), containerTexts.configNext);
    case "CreateContainerError":
    case "RunContainerError":
      return finding("bad", containerTexts.notStarted(name, message));
    default:
  }
  if (terminated && terminated.exitCode !== 0 && pod.status.phase !== "Succeeded") {
    const { exitCode, reason } = terminated;
    return finding("bad", containerTexts.ended(name, exitCode, meaningOf(exitCode, reason)), containerTexts.endedNext);
  }
  if (waiting && restartCount > 0 && status.lastState.terminated) return crashed(status, pod, events);
  return undefined;
}

function crashed({ name, restartCount, lastState }: ContainerStatus, pod: Pod, events: readonly Event[]): Finding {
  const last = lastState.terminated;
  const killed = events.find(
    ({ reason, message }) => reason === "Killing" && /failed liveness probe|failed startup probe/.test(message ?? ""),
  );
  if (killed) {
    const cause = warning(events, "Unhealthy")?.message ?? killed.message ?? "";
    return finding("bad", containerTexts.probe(name, restartCount, cause), containerTexts.probeNext);
  }
  if (last?.reason === "OOMKilled") {
    const container = [...pod.spec.containers, ...(pod.spec.initContainers ?? [])].find(
      (candidate) => candidate.name === name,
    );
    const limit = container?.resources?.limits?.["memory"] ?? "";
    return finding("bad", containerTexts.memory(name, restartCount, limit), containerTexts.memoryNext);
  }
  const meaning = last ? meaningOf(last.exitCode, last.reason) : "";
  const text = containerTexts.crashed(name, restartCount, last?.exitCode, meaning, (last?.message ?? "").trim());
  return finding("bad", text, containerTexts.crashedNext);
}

/** The causes in messages of container runtimes. */
const pullCauses = ["not found", "pull access denied", "no such host", "unauthorized"];

function imageProblem({ image }: ContainerStatus, message: string, events: readonly Event[]): string {
  const isPull = ({ reason, message: text }: Event) => reason === "Failed" && /^Failed to pull/.test(text ?? "");
  const failure = events.find(isPull)?.message ?? message;
  return containerTexts.pull(image, pullCauses.find((cause) => failure.includes(cause)) ?? "", failure);
}

function notReady(pod: Pod, events: readonly Event[]): Finding | undefined {
  const { ready, total, reason } = summarize(pod);
  const { conditions, containerStatuses = [], phase } = pod.status;
  if (phase === "Running" && ready >= total) {
    const gates = pod.spec.readinessGates ?? [];
    const gate = gates.find(({ conditionType }) => conditionOf(conditions, conditionType)?.status !== "True");
    return gate && finding("busy", podTexts.gate(gate.conditionType));
  }
  const unready = containerStatuses.find((status) => !status.ready && status.state.running);
  const probe = warning(events, "Unhealthy");
  if (unready && probe)
    return finding("bad", containerTexts.notReady(unready.name, probe.message ?? ""), containerTexts.probeNext);
  if (unready) return finding("busy", containerTexts.notReadyYet(unready.name));
  if (/^Init:/.test(reason)) return finding("busy", podTexts.init(reason.slice("Init:".length)));
  return finding("busy", podTexts.creating(reason || "Pending"));
}
