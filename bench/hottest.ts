// Where the time of a CPU profile went, as lines of text.

/** As the inspector's protocol has it. */
export interface Profile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly lineNumber: number; readonly columnNumber: number };
    readonly children?: readonly number[];
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** Shares of the samples that are not idle: of a function itself, and with all that it calls. */
export function hottest({ nodes, samples, timeDeltas }: Profile, shown: number): string[] {
  const own = new Map<number, number>();
  samples.forEach((id, index) => own.set(id, (own.get(id) ?? 0) + (timeDeltas[index] ?? 0)));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const nameOf = (node: Profile["nodes"][number]) =>
    `${node.callFrame.functionName || "(anonymous)"}:${node.callFrame.lineNumber + 1}`;
  const self = new Map<string, number>();
  const total = new Map<string, number>();
  const [first] = nodes;
  const walk = (node: Profile["nodes"][number], above: ReadonlySet<string>): number => {
    const name = nameOf(node);
    const mine = node.callFrame.functionName === "(idle)" ? 0 : (own.get(node.id) ?? 0);
    const within = new Set(above).add(name);
    const below = (node.children ?? []).reduce((sum, id) => {
      const child = byId.get(id);
      return sum + (child ? walk(child, within) : 0);
    }, 0);
    self.set(name, (self.get(name) ?? 0) + mine);
    // Of a function that calls itself, the outermost call counts.
    if (!above.has(name)) total.set(name, (total.get(name) ?? 0) + mine + below);
    return mine + below;
  };
  const all = first ? walk(first, new Set()) : 0;
  const share = (micros: number) => `${((micros * 100) / all).toFixed(1).padStart(5)} %`;
  const top = (of: ReadonlyMap<string, number>) => [...of].sort((a, b) => b[1] - a[1]).slice(0, shown);
  return [
    "by itself:",
    ...top(self).map(([name, micros]) => `${share(micros)}  ${name}`),
    "with what it calls:",
    ...top(total).map(([name, micros]) => `${share(micros)}  ${name}`),
  ];
}
