// The cell TARGETS: `cpu: 35%/80%`, two metrics at most.
import type {
  MetricSpec,
  MetricStatus,
  MetricTarget,
  MetricValueStatus,
} from "../../../shared/k8s/api/autoscaling-v2.ts";

const shown = 2;

/** Upstream's `formatHPAMetrics`. */
export function metricTargets(specs: readonly MetricSpec[], statuses: readonly MetricStatus[]): string {
  if (specs.length === 0) return "<none>";
  const texts = specs.map((spec, index) => metricText(spec, statuses[index]));
  const text = texts.slice(0, shown).join(", ");
  return texts.length > shown ? `${text} + ${texts.length - shown} more...` : text;
}

function metricText(spec: MetricSpec, status: MetricStatus | undefined): string {
  switch (spec.type) {
    case "External":
      return valueText(spec.external?.target, status?.external?.current);
    case "Object":
      return valueText(spec.object?.target, status?.object?.current);
    case "Pods":
      return `${status?.pods?.current.averageValue ?? unknown}/${spec.pods?.target.averageValue ?? ""}`;
    case "Resource":
      return usageText(spec.resource?.name, spec.resource?.target, status?.resource?.current);
    case "ContainerResource": {
      const { name, target } = spec.containerResource ?? {};
      return usageText(name, target, status?.containerResource?.current);
    }
    default:
      return "<unknown type>";
  }
}

const unknown = "<unknown>";

function valueText(target: MetricTarget | undefined, current: MetricValueStatus | undefined): string {
  if (target?.averageValue !== undefined) return `${current?.averageValue ?? unknown}/${target.averageValue} (avg)`;
  return `${current?.value ?? unknown}/${target?.value ?? ""}`;
}

function usageText(name = "", target: MetricTarget | undefined, current: MetricValueStatus | undefined): string {
  if (target?.averageValue !== undefined) return `${name}: ${current?.averageValue ?? unknown}/${target.averageValue}`;
  return `${name}: ${percentText(current?.averageUtilization, unknown)}/${percentText(target?.averageUtilization, "<auto>")}`;
}

function percentText(value: number | undefined, otherwise: string): string {
  return value === undefined ? otherwise : `${value}%`;
}
