// The description of a HorizontalPodAutoscaler.
import { isObject, type JsonObject } from "../../../shared/schema/json-values.ts";
import { listAt, numberAt, objectAt, stringAt, textOf } from "../object.ts";
import { amount } from "./amount.ts";
import { type Describer, created, describeEvents, head } from "./describer.ts";
import type { Description } from "./writer.ts";

export const describeAutoscaler: Describer = async (object, into, asking) => {
  const [spec, status] = [objectAt(object, "spec"), objectAt(object, "status")];
  const target = objectAt(spec, "scaleTargetRef");
  head(object, into);
  into.line(0, created(object));
  into.line(0, `Reference:\t${textOf(target.kind)}/${textOf(target.name)}`);
  into.line(0, "Metrics:\t( current / target )");
  const current = listAt(status, "currentMetrics");
  for (const [index, metric] of listAt(spec, "metrics").entries())
    into.line(1, metricText(metric, current[index] ?? {}));
  into.line(0, `Min replicas:\t${numberAt(spec, "minReplicas") ?? "<unset>"}`);
  into.line(0, `Max replicas:\t${numberAt(spec, "maxReplicas") ?? 0}`);
  if (isObject(spec.behavior)) {
    into.line(0, "Behavior:");
    describeDirection("Scale Up", spec.behavior.scaleUp, into);
    describeDirection("Scale Down", spec.behavior.scaleDown, into);
  }
  into.line(
    0,
    `${textOf(target.kind)} pods:\t${numberAt(status, "currentReplicas") ?? 0} current / ${numberAt(status, "desiredReplicas") ?? 0} desired`,
  );
  const conditions = listAt(status, "conditions");
  if (conditions.length > 0) {
    into.line(0, "Conditions:");
    into.line(1, "Type\tStatus\tReason\tMessage");
    into.line(1, "----\t------\t------\t-------");
    for (const condition of conditions)
      into.line(
        1,
        `${textOf(condition.type)}\t${textOf(condition.status)}\t${textOf(condition.reason)}\t${textOf(condition.message)}`,
      );
  }
  await describeEvents(object, into, asking);
};

function metricText(metric: JsonObject, current: JsonObject): string {
  const type = textOf(metric.type);
  const field = type.charAt(0).toLowerCase() + type.slice(1);
  const source = objectAt(metric, field);
  const name = stringAt(source, "metric", "name");
  const target = objectAt(source, "target");
  const now = objectAt(current, field, "current");
  const value = (of: string) => (now[of] === undefined ? "<unknown>" : amount(now[of]));
  switch (type) {
    case "External":
    case "Object": {
      const isAverage = type === "External" ? target.averageValue !== undefined : target.type === "AverageValue";
      const [label, of] = isAverage ? ["target average value", "averageValue"] : ["target value", "value"];
      const on =
        type === "Object"
          ? ` on ${stringAt(source, "describedObject", "kind")}/${stringAt(source, "describedObject", "name")}`
          : "";
      return `${JSON.stringify(name)}${on} (${label}):\t${value(of)} / ${amount(target[of])}`;
    }
    case "Pods":
      return `${JSON.stringify(name)} on pods:\t${value("averageValue")} / ${amount(target.averageValue)}`;
    case "Resource":
    case "ContainerResource":
      return resourceText(
        source,
        target,
        now,
        type === "Resource" ? "" : ` of container ${JSON.stringify(source.container)}`,
      );
    default:
      return `<unknown metric type ${JSON.stringify(type)}>`;
  }
}

function resourceText(source: JsonObject, target: JsonObject, now: JsonObject, of: string): string {
  const start = `resource ${textOf(source.name)}${of} on pods`;
  if (target.averageValue !== undefined) {
    return `${start}:\t${now.averageValue === undefined ? "<unknown>" : amount(now.averageValue)} / ${amount(target.averageValue)}`;
  }
  const current =
    now.averageUtilization === undefined
      ? "<unknown>"
      : `${numberAt(now, "averageUtilization") ?? 0}% (${amount(now.averageValue)})`;
  const goal = target.averageUtilization === undefined ? "<auto>" : `${numberAt(target, "averageUtilization") ?? 0}%`;
  return `${start}  (as a percentage of request):\t${current} / ${goal}`;
}

function describeDirection(label: string, rules: unknown, into: Description): void {
  if (!isObject(rules)) return;
  into.line(1, `${label}:`);
  const seconds = numberAt(rules, "stabilizationWindowSeconds");
  if (seconds !== undefined) into.line(2, `Stabilization Window: ${seconds} seconds`);
  const policies = listAt(rules, "policies");
  if (policies.length === 0) return;
  into.line(2, `Select Policy: ${textOf(rules.selectPolicy) || "Max"}`);
  into.line(2, "Policies:");
  for (const policy of policies)
    into.line(
      3,
      `- Type: ${textOf(policy.type)}\tValue: ${numberAt(policy, "value") ?? 0}\tPeriod: ${numberAt(policy, "periodSeconds") ?? 0} seconds`,
    );
}
