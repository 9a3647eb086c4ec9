// What is the matter with a pod: by its conditions, the states of its containers, and its events.
import type { Container, ContainerStatus, Event, Pod } from "../../../shared/k8s/api/core-v1.ts";
import { summarize } from "../../../shared/k8s/pod-summary.ts";
import { type Finding, conditionOf, ended, finding, warning } from "./finding.ts";
import { meaningOf } from "./exit-codes.ts";
import { whyNoNode } from "./scheduling.ts";

/** Undefined where all is as it should be. */
export function wrongWithPod(pod: Pod, events: readonly Event[]): Finding | undefined {
  const { metadata, spec, status } = pod;
  if (metadata.deletionTimestamp) return leaving(pod);
  if (status.phase === "Succeeded") return undefined;
  if (status.reason === "Evicted")
    return finding("bad", `It was evicted: ${status.message ?? "its node was short of something"}`);
  const scheduled = conditionOf(status.conditions, "PodScheduled");
  if (scheduled?.status === "False") {
    if (scheduled.reason === "SchedulingGated")
      return finding(
        "idle",
        `It waits at ${spec.schedulingGates?.map(({ name }) => name).join(", ") ?? "a gate"}: the scheduler looks at it when no gate is left`,
      );
    return finding(
      "bad",
      whyNoNode(scheduled.message ?? ""),
      "Make room, change what it asks for, or label or untaint a node.",
    );
  }
  if (!spec.nodeName) return finding("busy", "The scheduler has not looked at it yet");
  const containers = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  for (const one of containers) {
    const found = wrongWithContainer(one, pod, events);
    if (found) return found;
  }
  const mount = warning(events, "FailedMount", "FailedAttachVolume");
  const isCreating = containers.every(({ state }) => state.waiting);
  if (mount && isCreating)
    return finding(
      "bad",
      `A volume cannot be mounted: ${mount.message ?? ""}`,
      "Make what the volume names, or change the name.",
    );
  const sandbox = warning(events, "FailedCreatePodSandBox");
  if (sandbox && isCreating) return finding("bad", sandbox.message ?? "");
  if (status.phase === "Failed") return finding("bad", status.message || "Its containers have ended with an error");
  return notReady(pod, events);
}

function leaving({ metadata, spec }: Pod): Finding {
  const finalizers = metadata.finalizers ?? [];
  if (finalizers.length > 0) {
    return finding(
      "bad",
      `It is deleted and stays until ${finalizers.join(", ")} ${finalizers.length === 1 ? "is" : "are"} taken from its finalizers`,
      "Whoever set them takes them away when they are done.",
    );
  }
  const seconds = metadata.deletionGracePeriodSeconds ?? spec.terminationGracePeriodSeconds ?? 30;
  return finding("busy", `It is being deleted: its containers have ${seconds} s to end`);
}

function wrongWithContainer(status: ContainerStatus, pod: Pod, events: readonly Event[]): Finding | undefined {
  const { name, state, restartCount } = status;
  const { waiting, terminated } = state;
  const named = `Container ${name}`;
  switch (waiting?.reason) {
    case "CrashLoopBackOff":
      return crashed(status, pod, events);
    case "ErrImagePull":
    case "ImagePullBackOff":
      return finding(
        "bad",
        `${named} has no image: ${imageProblem(status, waiting.message ?? "", events)}`,
        "Correct the image's name or tag; the kubelet tries again by itself.",
      );
    case "InvalidImageName":
      return finding("bad", `${named} names an image that can be none: ${status.image || (waiting.message ?? "")}`);
    case "ErrImageNeverPull":
      return finding("bad", `${named} may not pull its image and the node does not have it: ${waiting.message ?? ""}`);
    case "CreateContainerConfigError":
      return finding(
        "bad",
        `${named} cannot be configured: ${waiting.message ?? ""}`,
        "Make the ConfigMap, the Secret or the key that it names.",
      );
    case "CreateContainerError":
    case "RunContainerError":
      return finding("bad", `${named} cannot be started: ${waiting.message ?? ""}`);
    default:
  }
  if (terminated && terminated.exitCode !== 0 && pod.status.phase !== "Succeeded") {
    return finding(
      "bad",
      `${named} ended with exit code ${terminated.exitCode}: ${meaningOf(terminated.exitCode, terminated.reason)}`,
      "Its log says more.",
    );
  }
  if (waiting && restartCount > 0 && status.lastState.terminated) return crashed(status, pod, events);
  return undefined;
}

function crashed({ name, restartCount, lastState }: ContainerStatus, pod: Pod, events: readonly Event[]): Finding {
  const last = lastState.terminated;
  const times = restartCount === 1 ? "once" : `${restartCount} times`;
  const killed = events.find(
    ({ reason, message }) => reason === "Killing" && /failed liveness probe|failed startup probe/.test(message ?? ""),
  );
  if (killed) {
    const probe = warning(events, "Unhealthy");
    return finding(
      "bad",
      `Container ${name} was restarted ${times}, because its probe failed: ${probe?.message ?? killed.message ?? ""}`,
      "Correct the probe, or what it asks.",
    );
  }
  const limit = [...pod.spec.containers, ...(pod.spec.initContainers ?? [])].find((one: Container) => one.name === name)
    ?.resources?.limits?.["memory"];
  if (last?.reason === "OOMKilled") {
    return finding(
      "bad",
      `Container ${name} was restarted ${times}: it used more memory than its limit${limit ? ` of ${limit}` : ""}`,
      "Raise the limit, or let it use less.",
    );
  }
  const why = last ? ` with exit code ${last.exitCode}: ${meaningOf(last.exitCode, last.reason)}` : "";
  const message = last?.message ? `. ${last.message.trim()}` : "";
  return finding(
    "bad",
    `Container ${name} was restarted ${times} and ended each time${why}${message}`,
    "The log of the run before says more.",
  );
}

function imageProblem({ image }: ContainerStatus, message: string, events: readonly Event[]): string {
  const isPull = ({ reason, message: told }: Event) => reason === "Failed" && /^Failed to pull/.test(told ?? "");
  const said = events.find(isPull)?.message ?? message;
  const cause = ["not found", "pull access denied", "no such host", "unauthorized"].find((one) => said.includes(one));
  return `${image} cannot be pulled${cause ? ` (${cause})` : said ? `: ${said}` : ""}`;
}

function notReady(pod: Pod, events: readonly Event[]): Finding | undefined {
  const { ready, total, reason } = summarize(pod);
  if (pod.status.phase === "Running" && ready >= total) {
    const gate = pod.spec.readinessGates?.find(
      ({ conditionType }) => conditionOf(pod.status.conditions, conditionType)?.status !== "True",
    );
    if (gate) return finding("busy", `Its containers are ready, and its readiness gate ${gate.conditionType} is not`);
    return undefined;
  }
  const unready = (pod.status.containerStatuses ?? []).find((one) => !one.ready && one.state.running);
  const probe = warning(events, "Unhealthy");
  if (unready && probe) {
    return finding(
      "bad",
      `Container ${unready.name} runs and is not ready: ${probe.message ?? ""}`,
      "Correct the probe, or what it asks.",
    );
  }
  if (unready) return finding("busy", `Container ${unready.name} runs and is not ready yet`);
  if (/^Init:/.test(reason)) return finding("busy", `Its init containers run first (${reason.slice("Init:".length)})`);
  return finding("busy", ended(`Its containers are being made (${reason || "Pending"})`));
}
