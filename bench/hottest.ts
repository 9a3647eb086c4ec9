// The functions in which a CPU profile spent its time, as lines of text.

/** A profile of the inspector's protocol. */
export interface Profile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly lineNumber: number; readonly columnNumber: number };
    readonly children?: readonly number[];
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** Returns the shares of samples that are not idle: of a function itself, and including its callees. */
export function hottest({ nodes, samples, timeDeltas }: Profile, lineCount: number): string[] {
  const selfTime = new Map<number, number>();
  samples.forEach((id, index) => selfTime.set(id, (selfTime.get(id) ?? 0) + (timeDeltas[index] ?? 0)));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const nameOf = (node: Profile["nodes"][number]) =>
    `${node.callFrame.functionName || "(anonymous)"}:${node.callFrame.lineNumber + 1}`;
  const self = new Map<string, number>();
  const total = new Map<string, number>();
  const [first] = nodes;
  const walk = (node: Profile["nodes"][number], above: ReadonlySet<string>): number => {
    const name = nameOf(node);
    const mine = node.callFrame.functionName === "(idle)" ? 0 : (selfTime.get(node.id) ?? 0);
    const within = new Set(above).add(name);
    const below = (node.children ?? []).reduce((sum, id) => {
      const child = byId.get(id);
      return sum + (child ? walk(child, within) : 0);
    }, 0);
    self.set(name, (self.get(name) ?? 0) + mine);
    // For a recursive function the outermost call counts.
    if (!above.has(name)) total.set(name, (total.get(name) ?? 0) + mine + below);
    return mine + below;
  };
  const all = first ? walk(first, new Set()) : 0;
  const share = (micros: number) => `${((micros * 100) / all).toFixed(1).padStart(5)} %`;
  const top = (of: ReadonlyMap<string, number>) => [...of].sort((a, b) => b[1] - a[1]).slice(0, lineCount);
  return [
    "by itself:",
    ...top(self).map(([name, micros]) => `${share(micros)}  ${name}`),
    "with what it calls:",
    ...top(total).map(([name, micros]) => `${share(micros)}  ${name}`),
  ];
}
