// Computes the CPU and memory load of containers from their programs: `stress`, and scripts that send requests to a Service in a loop,
// which its pods answer. Pure.
import type { Container, Pod, Service } from "../../../shared/k8s/api/core-v1.ts";
import { parseQuantity } from "../../../shared/k8s/quantity.ts";

type Resource = "cpu" | "memory";

const billion = 1_000_000_000n;
/** The CPU load of one endless request loop on the pods that answer. */
const loadOfLoop = billion / 50n;
const loadOfSums = (billion * 65n) / 100n;

/** Returns the usage of a container that runs `stress`; undefined for others. */
export function stressNanos(container: Container, resource: Resource): bigint | undefined {
  const { image = "", command = [], args = [], resources } = container;
  const words = [...command, ...args];
  const isStress = /^(.*\/)?stress(-ng)?$/.test(words[0] ?? "") || /(^|\/)stress(-ng)?([:@]|$)/.test(image);
  if (!isStress) return undefined;
  const option = (...names: string[]) => {
    const at = words.findIndex((word) => names.includes(word.split("=", 1)[0] ?? ""));
    return at < 0 ? undefined : (words[at]?.split("=")[1] ?? words[at + 1]);
  };
  const count = (...names: string[]) => BigInt(Number.parseInt(option(...names) ?? "0", 10) || 0);
  const hogs = count("--vm", "-m");
  const cpus = count("--cpu", "-c", "-cpus") + (option("--vm-hang") === undefined ? hogs : 0n);
  const each = parseQuantity(bytesText(option("--vm-bytes", "-mem-total")))?.nanos ?? 0n;
  const usage = resource === "cpu" ? cpus * billion : each * (hogs === 0n ? 1n : hogs);
  const limit = parseQuantity(resources.limits?.[resource] ?? "")?.nanos;
  if (usage === 0n) return undefined;
  return limit !== undefined && usage > limit ? (limit * 98n) / 100n : usage;
}

/** Converts `150M` and `1G`, which are powers of two for `stress`. */
function bytesText(text = ""): string {
  return text.replace(/^(\d+)([KMG])$/i, (_, amount: string, unit: string) => `${amount}${unit[0]?.toUpperCase()}i`);
}

/** Returns the Services, as `namespace/name`, that the pod requests in an endless loop without a pause. */
export function requestedServices({ metadata, spec, status }: Pod): string[] {
  if (status.phase !== "Running") return [];
  return spec.containers.flatMap(({ command = [], args = [] }) => {
    const script = [...command, ...args].join(" ");
    const pause = Number(/\bsleep\s+(\d*\.?\d+)/.exec(script)?.[1] ?? 0);
    if (!/\b(while|until)\b/.test(script) || !/\b(wget|curl)\b/.test(script) || pause > 0.1) return [];
    const hosts = script.matchAll(/https?:\/\/([a-z0-9-]+)(?:\.([a-z0-9-]+))?/g);
    return [...hosts].map(([, name = "", namespace = metadata.namespace ?? ""]) => `${namespace}/${name}`);
  });
}

/** Returns the total load of request loops on the pods of a Service. */
export function servedNanos(pod: Pod, loops: readonly string[], services: readonly Service[]): bigint {
  if (loops.length === 0) return 0n;
  const { labels = {}, namespace } = pod.metadata;
  const isBehind = ({ metadata, spec }: Service) =>
    metadata.namespace === namespace &&
    spec.selector !== undefined &&
    Object.entries(spec.selector).every(([key, value]) => labels[key] === value);
  const names = new Set(services.filter(isBehind).map(({ metadata }) => `${namespace ?? ""}/${metadata.name ?? ""}`));
  const count = BigInt(loops.filter((loop) => names.has(loop)).length);
  const sums = pod.spec.containers.some(({ image = "" }) => /(^|\/)hpa-example([:@]|$)/.test(image));
  return count * (sums ? loadOfSums : loadOfLoop);
}
