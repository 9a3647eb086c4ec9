// The measured usage of a machine that is a node, as its kubelet's Summary API reports it.
import * as z from "zod";

export interface Usage {
  /** Billionths of a processor. */
  readonly cpu: bigint;
  /** Bytes times a billion, as quantities count. */
  readonly memory: bigint;
}

export interface NodeMeasurement {
  /** The time on the cluster's clock. */
  readonly atMs: number;
  /** Undefined if the kubelet has none yet. */
  readonly usage: Usage | undefined;
  /** The containers of each pod by its uid. */
  readonly pods: ReadonlyMap<string, readonly (Usage & { readonly name: string })[]>;
}

const billion = 1_000_000_000n;
const amount = z.int().min(0);
const usage = z.object({
  cpu: z.object({ usageNanoCores: amount }),
  memory: z.object({ workingSetBytes: amount }),
});
const container = usage.extend({ name: z.string() });
const summary = z.object({
  node: z.unknown(),
  pods: z
    .array(z.object({ podRef: z.object({ uid: z.string() }), containers: z.array(z.unknown()).default([]) }))
    .default([]),
});

/** Reads a response of `/stats/summary`. Entries without measurements are left out. Undefined: the text is something else. */
export function measurementOf(text: string, atMs: number): NodeMeasurement | undefined {
  const parsed = summary.safeParse(jsonOf(text));
  if (!parsed.success) return undefined;
  const pods = parsed.data.pods.map(({ podRef, containers }) => {
    const measured = containers.flatMap((entry) => {
      const { data } = container.safeParse(entry);
      return data ? [{ name: data.name, ...usageOf(data) }] : [];
    });
    return [podRef.uid, measured] as const;
  });
  const { data: ofNode } = usage.safeParse(parsed.data.node);
  return { atMs, usage: ofNode && usageOf(ofNode), pods: new Map(pods) };
}

function usageOf({ cpu, memory }: z.infer<typeof usage>): Usage {
  return { cpu: BigInt(cpu.usageNanoCores), memory: BigInt(memory.workingSetBytes) * billion };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
