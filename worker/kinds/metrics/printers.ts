// Formats CPU and memory as a metrics server does, with the columns.
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { addQuantities, formatQuantity, parseQuantity, zeroQuantity } from "../../../shared/k8s/quantity.ts";
import type { Column } from "../kind.ts";

interface Used {
  readonly cpu: bigint;
  readonly memory: bigint;
}

export function total(usages: readonly Used[]): Used {
  return usages.reduce((sum, { cpu, memory }) => ({ cpu: sum.cpu + cpu, memory: sum.memory + memory }), {
    cpu: 0n,
    memory: 0n,
  });
}

/** Formats CPU in billionths, memory in KiB. */
export function amounts({ cpu, memory }: Used): Record<string, string> {
  const kibibytes = memory / 1_000_000_000n / 1024n;
  return { cpu: cpu === 0n ? "0" : `${cpu}n`, memory: kibibytes === 0n ? "0" : `${kibibytes}Ki` };
}

export function usageColumn<T extends KubeObject>(
  name: "cpu" | "memory",
  partsOf: (object: T) => readonly { readonly usage: Readonly<Record<string, string>> }[],
): Column<T> {
  return {
    name,
    type: "string",
    description: `How much ${name} is used.`,
    cell: (object) => {
      const quantities = partsOf(object).map(({ usage }) => parseQuantity(usage[name] ?? "") ?? zeroQuantity);
      return formatQuantity(quantities.reduce(addQuantities, zeroQuantity));
    },
  };
}

export const windowColumn: Column<KubeObject & { readonly window: string }> = {
  name: "Window",
  type: "string",
  description: "How long it was measured.",
  cell: ({ window }) => window,
};
