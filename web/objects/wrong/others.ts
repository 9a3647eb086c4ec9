// What is the matter with services, nodes, claims, and anything that has conditions.
import type { Node, PersistentVolumeClaim, Pod, Service } from "../../../shared/k8s/api/core-v1.ts";
import { isObject } from "../../../shared/schema/json-values.ts";
import { summarize } from "../../../shared/k8s/pod-summary.ts";
import { type Around, type Condition, type Finding, conditionOf, finding, warning } from "./finding.ts";

export function wrongWithService({ spec }: Service, { pods }: Around): Finding | undefined {
  const selector = Object.entries(spec.selector ?? {});
  if (spec.type === "ExternalName") return undefined;
  if (selector.length === 0) return finding("idle", "It has no selector: its endpoints are somebody else's to write");
  const wanted = selector.map(([key, value]) => `${key}=${value}`).join(",");
  if (pods.length === 0)
    return finding(
      "bad",
      `It sends to nobody: no pod of its namespace has the labels ${wanted}`,
      "Give the pods these labels, or the service another selector.",
    );
  const ready = pods.filter(
    (pod) => summarize(pod).ready > 0 && conditionOf(pod.status.conditions, "Ready")?.status === "True",
  );
  if (ready.length === 0)
    return finding(
      "bad",
      `It sends to nobody: none of its ${pods.length === 1 ? "one pod" : `${pods.length} pods`} is ready`,
      "Open the pods to see why.",
    );
  return wrongPort(spec, ready);
}

function wrongPort({ ports = [] }: Service["spec"], pods: readonly Pod[]): Finding | undefined {
  const [pod] = pods;
  const declared = (pod?.spec.containers ?? []).flatMap(({ ports: some = [] }) => some);
  for (const { port, targetPort = port } of ports) {
    const isNamed = typeof targetPort === "string";
    if (isNamed && !declared.some(({ name }) => name === targetPort)) {
      return finding(
        "bad",
        `Port ${port} leads to the port ${targetPort}, and no container of its pods has one of that name`,
      );
    }
    if (!isNamed && declared.length > 0 && !declared.some(({ containerPort }) => containerPort === targetPort)) {
      const those = declared.map(({ containerPort }) => containerPort).join(", ");
      return finding(
        "busy",
        `Port ${port} leads to ${targetPort}, and the containers name ${those}`,
        "It works where something listens there all the same.",
      );
    }
  }
  return undefined;
}

export function wrongWithNode({ spec, status }: Node): Finding | undefined {
  const ready = conditionOf(status.conditions, "Ready");
  if (ready?.status !== "True")
    return finding("bad", `It is not ready: ${ready?.message ?? "its kubelet has not said anything yet"}`);
  const pressure = status.conditions?.find(({ type, status: said }) => /Pressure$/.test(type) && said === "True");
  if (pressure) return finding("bad", `${pressure.type}: ${pressure.message ?? ""}`);
  if (spec.unschedulable)
    return finding("idle", "It is cordoned: no new pods come to it", "Uncordon it when it is to have pods again.");
  return undefined;
}

export function wrongWithClaim({ spec, status }: PersistentVolumeClaim, { events }: Around): Finding | undefined {
  if (status.phase === "Bound") return undefined;
  if (status.phase === "Lost") return finding("bad", `Its volume ${spec.volumeName ?? ""} is gone`);
  const said = warning(events) ?? events[0];
  if (said?.reason === "WaitForFirstConsumer")
    return finding("idle", "It gets its volume when the first pod that uses it is on a node");
  return finding(
    said?.type === "Warning" ? "bad" : "busy",
    `It has no volume yet${said ? `: ${said.message ?? ""}` : ""}`,
  );
}

/** By its conditions alone. */
export function wrongWithAny(object: { readonly metadata: object; readonly status?: unknown }): Finding | undefined {
  const { deletionTimestamp, finalizers = [] } = object.metadata as {
    deletionTimestamp?: string;
    finalizers?: string[];
  };
  const conditions = conditionsOf(object.status);
  if (deletionTimestamp) {
    const left = conditions.filter(
      ({ type, status }) => /ContentRemaining|FinalizersRemaining|Failure$/.test(type) && status === "True",
    );
    const why =
      left.map(({ message = "" }) => message).join(" ") ||
      (finalizers.length > 0 ? `its finalizers are ${finalizers.join(", ")}` : "");
    return finding(finalizers.length > 0 ? "bad" : "busy", `It is being deleted${why ? `: ${why}` : ""}`);
  }
  const good =
    /^(Ready|Available|Established|Accepted|Programmed|Synced|Healthy|AbleToScale|ScalingActive|Initialized|ResolvedRefs|Succeeded)$/;
  const failing = conditions.find(
    ({ type, status }) =>
      (good.test(type) && status === "False") || (/Fail|Error|Degraded|Stalled/.test(type) && status === "True"),
  );
  if (!failing) return undefined;
  return finding("bad", `${failing.type} is ${failing.status}: ${failing.message || failing.reason || ""}`);
}

export function conditionsOf(status: unknown): Condition[] {
  const { conditions } = isObject(status) ? status : {};
  // Those of any kind are of this form.
  return Array.isArray(conditions) ? (conditions.filter(isObject) as unknown as Condition[]) : [];
}
