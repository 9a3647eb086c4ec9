// What containers burn by what they run: `stress`, and scripts that ask a Service over and over, which those behind it answer. Pure.
import type { Container, Pod, Service } from "../../../shared/k8s/api/core-v1.ts";
import { parseQuantity } from "../../../shared/k8s/quantity.ts";

type Resource = "cpu" | "memory";

const billion = 1_000_000_000n;
/** What one endless loop of requests costs those who answer, and those whose answer is a sum. */
const loadOfLoop = billion / 50n;
const loadOfSums = (billion * 65n) / 100n;

/** What a container that runs `stress` uses; undefined for all others. */
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
  const wanted = resource === "cpu" ? cpus * billion : each * (hogs === 0n ? 1n : hogs);
  const limit = parseQuantity(resources.limits?.[resource] ?? "")?.nanos;
  if (wanted === 0n) return undefined;
  return limit !== undefined && wanted > limit ? (limit * 98n) / 100n : wanted;
}

/** `150M` and `1G` are powers of two to `stress`. */
function bytesText(text = ""): string {
  return text.replace(/^(\d+)([KMG])$/i, (_, amount: string, unit: string) => `${amount}${unit[0]?.toUpperCase()}i`);
}

/** The Services, as `namespace/name`, that the pod asks for ever, without a pause that would let them rest. */
export function askedForEver({ metadata, spec, status }: Pod): string[] {
  if (status.phase !== "Running") return [];
  return spec.containers.flatMap(({ command = [], args = [] }) => {
    const script = [...command, ...args].join(" ");
    const pause = Number(/\bsleep\s+(\d*\.?\d+)/.exec(script)?.[1] ?? 0);
    if (!/\b(while|until)\b/.test(script) || !/\b(wget|curl)\b/.test(script) || pause > 0.1) return [];
    const hosts = script.matchAll(/https?:\/\/([a-z0-9-]+)(?:\.([a-z0-9-]+))?/g);
    return [...hosts].map(([, name = "", namespace = metadata.namespace ?? ""]) => `${namespace}/${name}`);
  });
}

/** The load that loops elsewhere put on all pods behind a Service together. */
export function servedNanos(pod: Pod, loops: readonly string[], services: readonly Service[]): bigint {
  if (loops.length === 0) return 0n;
  const { labels = {}, namespace } = pod.metadata;
  const isBehind = ({ metadata, spec }: Service) =>
    metadata.namespace === namespace &&
    spec.selector !== undefined &&
    Object.entries(spec.selector).every(([key, value]) => labels[key] === value);
  const names = new Set(services.filter(isBehind).map(({ metadata }) => `${namespace ?? ""}/${metadata.name ?? ""}`));
  const count = BigInt(loops.filter((one) => names.has(one)).length);
  const sums = pod.spec.containers.some(({ image = "" }) => /(^|\/)hpa-example([:@]|$)/.test(image));
  return count * (sums ? loadOfSums : loadOfLoop);
}
