// Diagnoses Services, Nodes, PersistentVolumeClaims, and any other object by its conditions.
import type { Node, PersistentVolumeClaim, Pod, Service } from "../../../shared/k8s/api/core-v1.ts";
import { summarize } from "../../../shared/k8s/pod-summary.ts";
import { isObject } from "../../../shared/schema/json-values.ts";
import { messages } from "../../messages.ts";
import { type DiagnosisContext, type Condition, type Finding, conditionOf, finding, warning } from "./finding.ts";

const { service: serviceTexts, node: nodeTexts, claim: claimTexts, any: anyTexts } = messages.wrong;

export function wrongWithService({ spec }: Service, { pods }: DiagnosisContext): Finding | undefined {
  const selector = Object.entries(spec.selector ?? {});
  if (spec.type === "ExternalName") return undefined;
  if (selector.length === 0) return finding("idle", serviceTexts.noSelector);
  const selectorText = selector.map(([key, value]) => `${key}=${value}`).join(",");
  if (pods.length === 0) return finding("bad", serviceTexts.noPod(selectorText), serviceTexts.noPodNext);
  const ready = pods.filter(
    (pod) => summarize(pod).ready > 0 && conditionOf(pod.status.conditions, "Ready")?.status === "True",
  );
  return ready.length === 0
    ? finding("bad", serviceTexts.noneReady(pods.length), serviceTexts.noneReadyNext)
    : wrongPort(spec, ready);
}

function wrongPort({ ports = [] }: Service["spec"], [pod]: readonly Pod[]): Finding | undefined {
  const declared = (pod?.spec.containers ?? []).flatMap(({ ports: some = [] }) => some);
  for (const { port, targetPort = port } of ports) {
    if (typeof targetPort === "string") {
      if (!declared.some(({ name }) => name === targetPort))
        return finding("bad", serviceTexts.namedPort(port, targetPort));
    } else if (declared.length > 0 && !declared.some(({ containerPort }) => containerPort === targetPort)) {
      const declaredPorts = declared.map(({ containerPort }) => containerPort).join(", ");
      return finding("busy", serviceTexts.otherPort(port, targetPort, declaredPorts), serviceTexts.otherPortNext);
    }
  }
  return undefined;
}

export function wrongWithNode({ spec, status }: Node): Finding | undefined {
  const ready = conditionOf(status.conditions, "Ready");
  if (ready?.status !== "True") return finding("bad", nodeTexts.notReady(ready?.message ?? ""));
  const pressure = status.conditions?.find(
    ({ type, status: conditionStatus }) => /Pressure$/.test(type) && conditionStatus === "True",
  );
  if (pressure) return finding("bad", anyTexts.condition(pressure.type, pressure.status, pressure.message ?? ""));
  return spec.unschedulable ? finding("idle", nodeTexts.cordoned, nodeTexts.cordonedNext) : undefined;
}

export function wrongWithClaim(
  { spec, status }: PersistentVolumeClaim,
  { events }: DiagnosisContext,
): Finding | undefined {
  if (status.phase === "Bound") return undefined;
  if (status.phase === "Lost") return finding("bad", claimTexts.lost(spec.volumeName ?? ""));
  const event = warning(events) ?? events[0];
  if (event?.reason === "WaitForFirstConsumer") return finding("idle", claimTexts.waits);
  return finding(event?.type === "Warning" ? "bad" : "busy", claimTexts.noVolume(event?.message ?? ""));
}

const goodTypes =
  /^(Ready|Available|Established|Accepted|Programmed|Synced|Healthy|AbleToScale|ScalingActive|Initialized|ResolvedRefs|Succeeded)$/;

/** Diagnoses an object by its conditions alone. */
export function wrongWithAny(object: { readonly metadata: object; readonly status?: unknown }): Finding | undefined {
  // The metadata of all kinds has these fields.
  const { deletionTimestamp, finalizers = [] } = object.metadata as {
    deletionTimestamp?: string;
    finalizers?: string[];
  };
  const conditions = conditionsOf(object.status);
  if (deletionTimestamp) {
    const remainingConditions = conditions.filter(
      ({ type, status }) => /ContentRemaining|FinalizersRemaining|Failure$/.test(type) && status === "True",
    );
    const finalizerText = finalizers.length > 0 ? anyTexts.finalizers(finalizers.join(", ")) : "";
    const reason = remainingConditions.map(({ message = "" }) => message).join(" ") || finalizerText;
    return finding(finalizers.length > 0 ? "bad" : "busy", anyTexts.deleted(reason));
  }
  const failing = conditions.find(
    ({ type, status }) =>
      (goodTypes.test(type) && status === "False") || (/Fail|Error|Degraded|Stalled/.test(type) && status === "True"),
  );
  if (!failing) return undefined;
  return finding("bad", anyTexts.condition(failing.type, failing.status, failing.message || failing.reason || ""));
}

export function conditionsOf(status: unknown): Condition[] {
  const { conditions } = isObject(status) ? status : {};
  // The conditions of all kinds have these fields.
  return Array.isArray(conditions) ? (conditions.filter(isObject) as unknown as Condition[]) : [];
}
