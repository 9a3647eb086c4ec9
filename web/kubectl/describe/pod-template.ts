// Pod templates of workloads, as `kubectl describe` and `kubectl rollout history` print them.
import { formatLabelSelector } from "../../../shared/k8s/selectors/labels.ts";
import { type JsonObject, isObject } from "../../../shared/schema/json-values.ts";
import { listAt, numberAt, objectAt, stringAt, stringsAt, textOf } from "../object.ts";
import { describeContainers } from "./containers.ts";
import { describeVolumes } from "./volumes.ts";
import { Description } from "./writer.ts";

export function describePodTemplate(template: JsonObject, into: Description): void {
  const spec = objectAt(template, "spec");
  into.line(0, "Pod Template:");
  into.labels("  Labels", stringsAt(template, "metadata", "labels"));
  const annotations = stringsAt(template, "metadata", "annotations");
  if (Object.keys(annotations).length > 0) into.annotations("  Annotations", annotations);
  if (textOf(spec.serviceAccountName)) into.line(1, `Service Account:\t${textOf(spec.serviceAccountName)}`);
  const none = () => "";
  const first = listAt(spec, "initContainers");
  if (first.length > 0) describeContainers("Init Containers", first, [], none, into, "  ");
  describeContainers("Containers", listAt(spec, "containers"), [], none, into, "  ");
  describeVolumes(listAt(spec, "volumes"), into, "  ");
  describeSpread(listAt(spec, "topologySpreadConstraints"), into, "  ");
  if (textOf(spec.priorityClassName)) into.line(1, `Priority Class Name:\t${textOf(spec.priorityClassName)}`);
  into.labels("  Node-Selectors", stringsAt(spec, "nodeSelector"));
  into.tolerations("  Tolerations", listAt(spec, "tolerations"));
}

/** Returns the text with its tabs, as `kubectl rollout history` prints it. */
export function describeTemplateText(template: JsonObject): string {
  const into = new Description();
  describePodTemplate(template, into);
  return into.raw();
}

export function describeSpread(constraints: readonly JsonObject[], into: Description, space: string): void {
  if (constraints.length === 0) return;
  const sorted = [...constraints].sort((a, b) => (textOf(a.topologyKey) < textOf(b.topologyKey) ? -1 : 1));
  const lines = sorted.map((constraint) => {
    // The server validates selectors, so the field has the shape of one.
    const selector = isObject(constraint.labelSelector)
      ? ` for selector ${formatLabelSelector(constraint.labelSelector)}`
      : "";
    return `${textOf(constraint.topologyKey)}:${stringAt(constraint, "whenUnsatisfiable")} when max skew ${numberAt(constraint, "maxSkew") ?? 0} is exceeded${selector}`;
  });
  into.write(
    `${space}Topology Spread Constraints:\t${lines.map((line, at) => `${at === 0 ? "" : `${space}\t`}${line}\n`).join("")}`,
  );
}
