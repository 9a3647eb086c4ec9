// The reasons why a pod waits: gates, nodes, volumes, images, containers, probes.
import type { ContainerStatus, Pod } from "../../../../../shared/k8s/api/core-v1.ts";
import { limits } from "../../../../../shared/base/limits.ts";
import type { Reason } from "../../../../../shared/contract/cluster/past.ts";
import { conditionOf, type Explain, textOf, warningsOf, type WhyContext } from "./context.ts";

export const whyPod: Explain<Pod> = (pod, context) => {
  const { status, spec } = pod;
  if (status.phase === "Succeeded") return { state: "fine", because: "its containers have ended without an error" };
  if (status.phase === "Failed") {
    const containers = troubledContainers(pod);
    const because = status.message || status.reason || containers[0]?.because || "a container ended with an error";
    return { state: "fails", because: `it has failed: ${because}`, reasons: containers };
  }
  if (!spec.nodeName) return whyUnscheduled(pod, context);
  const containers = troubledContainers(pod);
  const ready = conditionOf(status.conditions, "Ready");
  if (ready?.status === "True") return { state: "fine", because: `it runs on ${spec.nodeName} and is ready` };
  const warnings = warningsOf(context, pod);
  const reasons = [...containers, ...warnings];
  const [first] = containers;
  const gate = (spec.readinessGates ?? []).find(
    ({ conditionType }) => conditionOf(status.conditions, conditionType)?.status !== "True",
  );
  if (!first && gate)
    return { state: "waits", because: `its readiness gate ${gate.conditionType} is not True`, reasons };
  if (!first)
    return { state: "waits", because: warnings[0]?.because ?? `${spec.nodeName} starts its containers`, reasons };
  return { state: first.state, because: `its ${first.what} ${first.state}`, reasons };
};

function whyUnscheduled(pod: Pod, context: WhyContext): Omit<Reason, "what"> {
  const { spec, status, metadata } = pod;
  const gates = (spec.schedulingGates ?? []).map(({ name }) => name);
  if (gates.length > 0)
    return { state: "waits", because: `it is not scheduled before its gates are taken away: ${gates.join(", ")}` };
  const decision = context.scheduling(pod);
  const see = `kubectl get --raw /api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}/scheduling`;
  const current = decision?.current;
  if (!current) {
    const condition = conditionOf(status.conditions, "PodScheduled");
    const because = condition ? textOf(condition) : `no scheduler named ${spec.schedulerName} has looked at it`;
    return { state: "waits", because, reasons: warningsOf(context, pod) };
  }
  if (current.node) return { state: "waits", because: `it is about to be placed on ${current.node}`, see };
  const nodes = current.refused.slice(0, limits.whyReasons).map(
    ({ node, plugin, reasons }): Reason => ({
      what: `node ${node}`,
      state: "waits",
      because: `${reasons.join(", ")} (${plugin})`,
      see: `kubectl describe node ${node}`,
    }),
  );
  const all = current.refusedAll;
  const reasons = all
    ? [{ what: all.plugin, state: "waits" as const, because: all.reasons.join(", ") }, ...nodes]
    : nodes;
  const because = current.message ?? all?.reasons.join(", ") ?? "no node takes it";
  return { state: "waits", because: `no node takes it: ${because}`, see, reasons };
}

function troubledContainers({ metadata, status, spec }: Pod): Reason[] {
  const init = status.initContainerStatuses ?? [];
  const isInitialized = conditionOf(status.conditions, "Initialized")?.status === "True";
  const reasons: Reason[] = [];
  const sidecars = new Set(
    (spec.initContainers ?? []).filter((container) => container.restartPolicy === "Always").map(({ name }) => name),
  );
  // The containers wait for those that come before them.
  for (const containerStatus of isInitialized ? (status.containerStatuses ?? []) : init) {
    const trouble = containerTrouble(containerStatus, isInitialized || sidecars.has(containerStatus.name));
    if (!trouble) continue;
    const see = `kubectl logs ${metadata.name} -c ${containerStatus.name} -n ${metadata.namespace}`;
    reasons.push({ what: `container ${containerStatus.name}`, ...trouble, see });
    if (reasons.length === limits.whyReasons) break;
  }
  return reasons;
}

function containerTrouble(
  container: ContainerStatus,
  mustBeReady: boolean,
): Pick<Reason, "state" | "because"> | undefined {
  const { waiting, terminated, running } = container.state;
  const last = container.lastState.terminated;
  const ending = last ? `, after it ended with code ${last.exitCode} (${last.reason ?? "Error"})` : "";
  if (waiting) {
    const isFailure = /BackOff|Err|Invalid/.test(waiting.reason ?? "");
    const because = `${waiting.reason ?? "waiting"}${waiting.message ? `: ${waiting.message}` : ""}`;
    return { state: isFailure ? "fails" : "waits", because: `${because}${isFailure ? ending : ""}` };
  }
  if (terminated && terminated.exitCode !== 0)
    return { state: "fails", because: `it ended with code ${terminated.exitCode} (${terminated.reason ?? "Error"})` };
  if (!running || container.ready) return undefined;
  if (!mustBeReady) return { state: "waits", because: "it runs, and the containers after it wait for its end" };
  return { state: "waits", because: `it runs and is not ready${ending}` };
}
