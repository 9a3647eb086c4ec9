// Diagnoses services, nodes, claims, and any object with conditions.
import type { Node, PersistentVolumeClaim, Pod, Service } from "../../../shared/k8s/api/core-v1.ts";
import { summarize } from "../../../shared/k8s/pod-summary.ts";
import { isObject } from "../../../shared/schema/json-values.ts";
import { messages } from "../../messages.ts";
import { type Around, type Condition, type Finding, conditionOf, finding, warning } from "./finding.ts";

const { service: words, node: ofNode, claim: ofClaim, any: ofAny } = messages.wrong;

export function wrongWithService({ spec }: Service, { pods }: Around): Finding | undefined {
  const selector = Object.entries(spec.selector ?? {});
  if (spec.type === "ExternalName") return undefined;
  if (selector.length === 0) return finding("idle", words.noSelector);
  const selectorText = selector.map(([key, value]) => `${key}=${value}`).join(",");
  if (pods.length === 0) return finding("bad", words.noPod(selectorText), words.noPodNext);
  const ready = pods.filter(
    (pod) => summarize(pod).ready > 0 && conditionOf(pod.status.conditions, "Ready")?.status === "True",
  );
  return ready.length === 0
    ? finding("bad", words.noneReady(pods.length), words.noneReadyNext)
    : wrongPort(spec, ready);
}

function wrongPort({ ports = [] }: Service["spec"], [pod]: readonly Pod[]): Finding | undefined {
  const declared = (pod?.spec.containers ?? []).flatMap(({ ports: some = [] }) => some);
  for (const { port, targetPort = port } of ports) {
    if (typeof targetPort === "string") {
      if (!declared.some(({ name }) => name === targetPort)) return finding("bad", words.namedPort(port, targetPort));
    } else if (declared.length > 0 && !declared.some(({ containerPort }) => containerPort === targetPort)) {
      const those = declared.map(({ containerPort }) => containerPort).join(", ");
      return finding("busy", words.otherPort(port, targetPort, those), words.otherPortNext);
    }
  }
  return undefined;
}

export function wrongWithNode({ spec, status }: Node): Finding | undefined {
  const ready = conditionOf(status.conditions, "Ready");
  if (ready?.status !== "True") return finding("bad", ofNode.notReady(ready?.message ?? ""));
  const pressure = status.conditions?.find(
    ({ type, status: conditionStatus }) => /Pressure$/.test(type) && conditionStatus === "True",
  );
  if (pressure) return finding("bad", ofAny.condition(pressure.type, pressure.status, pressure.message ?? ""));
  return spec.unschedulable ? finding("idle", ofNode.cordoned, ofNode.cordonedNext) : undefined;
}

export function wrongWithClaim({ spec, status }: PersistentVolumeClaim, { events }: Around): Finding | undefined {
  if (status.phase === "Bound") return undefined;
  if (status.phase === "Lost") return finding("bad", ofClaim.lost(spec.volumeName ?? ""));
  const event = warning(events) ?? events[0];
  if (event?.reason === "WaitForFirstConsumer") return finding("idle", ofClaim.waits);
  return finding(event?.type === "Warning" ? "bad" : "busy", ofClaim.noVolume(event?.message ?? ""));
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
    const left = conditions.filter(
      ({ type, status }) => /ContentRemaining|FinalizersRemaining|Failure$/.test(type) && status === "True",
    );
    const held = finalizers.length > 0 ? ofAny.finalizers(finalizers.join(", ")) : "";
    const why = left.map(({ message = "" }) => message).join(" ") || held;
    return finding(finalizers.length > 0 ? "bad" : "busy", ofAny.deleted(why));
  }
  const failing = conditions.find(
    ({ type, status }) =>
      (goodTypes.test(type) && status === "False") || (/Fail|Error|Degraded|Stalled/.test(type) && status === "True"),
  );
  if (!failing) return undefined;
  return finding("bad", ofAny.condition(failing.type, failing.status, failing.message || failing.reason || ""));
}

export function conditionsOf(status: unknown): Condition[] {
  const { conditions } = isObject(status) ? status : {};
  // The conditions of all kinds have these fields.
  return Array.isArray(conditions) ? (conditions.filter(isObject) as unknown as Condition[]) : [];
}
