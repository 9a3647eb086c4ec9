// `kubectl top`: prints the usage of nodes and pods from the metrics API.
import { quantityMilliValue, quantityValue } from "../../../shared/k8s/quantity.ts";
import type { JsonObject } from "../../../shared/schema/json-values.ts";
import type { CommandCall, Command } from "../command.ts";
import { type Flag, boolFlag, stringFlag } from "../flag.ts";
import { listAll } from "../describe/describer.ts";
import { listAt, nameOf, namespaceOf, stringAt, stringsAt, textOf } from "../object.ts";
import { newTabWriter, wideColumns } from "../print/tab-writer.ts";
import { allNamespacesFlag, fieldSelectorFlag, selectorFlag } from "../resources/select.ts";

const common: readonly Flag[] = [
  selectorFlag,
  stringFlag(
    "sort-by",
    "If non-empty, sort the list using specified field. The field can be either 'cpu' or 'memory'.",
  ),
  boolFlag("no-headers", "If present, print output without headers"),
  boolFlag("use-protocol-buffers", "Enables using protocol-buffers to access Metrics API.", { default: true }),
];
const base = "/apis/metrics.k8s.io/v1beta1";

export const top: Command = {
  name: "top",
  use: "[flags] [options]",
  short: "Display resource (CPU/memory) usage",
  commands: [
    {
      name: "node",
      aliases: ["nodes", "no"],
      use: "[NAME | -l label] [options]",
      short: "Display resource (CPU/memory) usage of nodes",
      completes: "nodes",
      flags: [
        ...common,
        boolFlag(
          "show-capacity",
          "Print node resources based on Capacity instead of Allocatable(default) of the nodes.",
        ),
        boolFlag("show-swap", "Print node resources related to swap memory."),
      ],
      run: topNodes,
    },
    {
      name: "pod",
      aliases: ["pods", "po"],
      use: "[NAME | -l label] [options]",
      short: "Display resource (CPU/memory) usage of pods",
      completes: "pods",
      flags: [
        ...common,
        fieldSelectorFlag,
        allNamespacesFlag,
        boolFlag("containers", "If present, print usage of containers within a pod."),
        boolFlag("sum", "Print the sum of the resource usage"),
        boolFlag("show-swap", "Print pod resources related to swap memory."),
      ],
      run: topPods,
    },
  ],
};

async function available({ cluster, flags, args }: CommandCall): Promise<void> {
  if (!["", "cpu", "memory"].includes(flags.text("sort-by"))) throw new Error("--sort-by accepts only cpu or memory");
  if (args.length > 0 && (flags.text("selector") || flags.text("field-selector")))
    throw new Error("only one of NAME or selector can be provided");
  const { groups } = await cluster.discovery();
  if (!groups.some(({ group }) => group === "metrics.k8s.io")) throw new Error("Metrics API not available");
}

interface Usage {
  readonly cpu: number;
  readonly memory: number;
}

function usageOf(holder: JsonObject): Usage {
  const { cpu = "0", memory = "0" } = stringsAt(holder, "usage");
  return { cpu: quantityMilliValue(cpu), memory: quantityValue(memory) };
}

const mebi = (bytes: number) => `${Math.floor(bytes / 1024 / 1024)}Mi`;

function print({ flags, streams }: CommandCall, head: readonly string[], lines: readonly (readonly string[])[]): void {
  const all = flags.bool("no-headers") ? lines : [head, ...lines];
  streams.out(
    newTabWriter(wideColumns).align(all.map((cells) => `${cells.map((cell) => `${cell}\t`).join("")}\n`).join("")),
  );
}

function sorted<T extends { readonly name: string; readonly usage: Usage }>(items: readonly T[], by: string): T[] {
  const field = by === "memory" ? "memory" : "cpu";
  return [...items].sort((a, b) => (by ? b.usage[field] - a.usage[field] : a.name < b.name ? -1 : 1));
}

async function topNodes(call: CommandCall): Promise<void> {
  await available(call);
  const [name] = call.args;
  const metrics = name
    ? [await call.cluster.json(`${base}/nodes/${name}`)]
    : await listAll(call, `${base}/nodes`, { labelSelector: call.flags.text("selector") });
  if (metrics.length === 0) throw new Error("metrics not available yet");
  const nodes = await listAll(call, "/api/v1/nodes", {});
  const field = call.flags.bool("show-capacity") ? "capacity" : "allocatable";
  const rows = sorted(
    metrics.map((item) => ({ name: nameOf(item), usage: usageOf(item) })),
    call.flags.text("sort-by"),
  ).map(({ name: node, usage }) => {
    const { cpu = "0", memory = "0" } = stringsAt(
      nodes.find((candidate) => nameOf(candidate) === node) ?? {},
      "status",
      field,
    );
    const share = (used: number, of: number) => (of === 0 ? "<unknown>" : `${Math.trunc((used / of) * 100)}%`);
    return [
      node,
      `${usage.cpu}m`,
      share(usage.cpu, quantityMilliValue(cpu)),
      mebi(usage.memory),
      share(usage.memory, quantityValue(memory)),
    ];
  });
  print(call, ["NAME", "CPU(cores)", "CPU(%)", "MEMORY(bytes)", "MEMORY(%)"], rows);
}

/** The time after its start until a pod has metrics. */
const metricsDelayMs = 120_000;

/** Throws an error that says why there are pods but no metrics. */
async function explainNone(call: CommandCall, query: Record<string, string>): Promise<void> {
  const path = call.flags.bool("all-namespaces") ? "/api/v1/pods" : `/api/v1/namespaces/${call.namespace}/pods`;
  const pods = await listAll(call, path, query);
  if (pods.length === 0) return;
  for (const pod of pods) {
    const ageMs = call.surroundings.clock.nowMs() - Date.parse(stringAt(pod, "metadata", "creationTimestamp"));
    if (ageMs > metricsDelayMs)
      throw new Error(`Metrics not available for pod ${namespaceOf(pod)}/${nameOf(pod)}, age: ${goDuration(ageMs)}`);
  }
  throw new Error("metrics not available yet");
}

function goDuration(ms: number): string {
  const [hours, minutes, seconds] = [Math.floor(ms / 3_600_000), Math.floor(ms / 60_000) % 60, (ms % 60_000) / 1000];
  return `${hours > 0 ? `${hours}h` : ""}${minutes}m${seconds}s`;
}

async function topPods(call: CommandCall): Promise<void> {
  await available(call);
  const { flags, namespace, streams } = call;
  const [name] = call.args;
  const isAll = flags.bool("all-namespaces");
  const path = isAll ? `${base}/pods` : `${base}/namespaces/${namespace}/pods`;
  const query = { labelSelector: flags.text("selector"), fieldSelector: flags.text("field-selector") };
  const metrics = name ? [await call.cluster.json(`${path}/${name}`)] : await listAll(call, path, query);
  if (metrics.length === 0) await explainNone(call, query);
  if (metrics.length === 0)
    return streams.err(isAll ? "No resources found\n" : `No resources found in ${namespace} namespace.\n`);
  const isByContainer = flags.bool("containers");
  const items = metrics.flatMap((pod) => {
    const containers = listAt(pod, "containers").map((container) => ({
      name: nameOf(pod),
      namespace: namespaceOf(pod),
      container: textOf(container.name),
      usage: usageOf(container),
    }));
    if (isByContainer) return containers;
    const usage = containers.reduce(
      (sum, container) => ({ cpu: sum.cpu + container.usage.cpu, memory: sum.memory + container.usage.memory }),
      { cpu: 0, memory: 0 },
    );
    return [{ name: nameOf(pod), namespace: namespaceOf(pod), container: "", usage }];
  });
  const rows = sorted(items, flags.text("sort-by")).map((row) => [
    ...(isAll ? [row.namespace] : []),
    row.name,
    ...(isByContainer ? [row.container] : []),
    `${row.usage.cpu}m`,
    mebi(row.usage.memory),
  ]);
  const columns = (isAll ? 1 : 0) + 1 + (isByContainer ? 1 : 0);
  if (flags.bool("sum")) {
    const total = items.reduce((sum, { usage }) => ({ cpu: sum.cpu + usage.cpu, memory: sum.memory + usage.memory }), {
      cpu: 0,
      memory: 0,
    });
    const blank = Array<string>(columns).fill("");
    rows.push([...blank, "________", "________"], [...blank, `${total.cpu}m`, mebi(total.memory)]);
  }
  print(
    call,
    [
      ...(isAll ? ["NAMESPACE"] : []),
      isByContainer ? "POD" : "NAME",
      ...(isByContainer ? ["NAME"] : []),
      "CPU(cores)",
      "MEMORY(bytes)",
    ],
    rows,
  );
}
