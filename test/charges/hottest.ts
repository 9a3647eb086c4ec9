// Names the functions in which a turn spends its time.
import { Session } from "node:inspector";
import { basename } from "node:path";
import type { Turn } from "./verdict.ts";

const intervalMicroseconds = 200;
const shownFunctions = 3;

/** Returns the hottest functions, each as `name file:line share`. */
export async function hottestFunctions({ prepare, run }: Turn): Promise<string[]> {
  await prepare?.();
  const session = new Session();
  session.connect();
  const nodes: Profile["nodes"][number][] = [];
  session.post("Profiler.enable");
  session.post("Profiler.setSamplingInterval", { interval: intervalMicroseconds });
  session.post("Profiler.start");
  try {
    await run();
  } finally {
    session.post("Profiler.stop", (_, { profile }) => nodes.push(...(profile as Profile).nodes));
    session.disconnect();
  }
  const hits = new Map<string, number>();
  let sum = 0;
  for (const { callFrame, hitCount = 0 } of nodes) {
    const { functionName, url, lineNumber } = callFrame;
    const name = `${functionName || "(anonymous)"} ${url && `${basename(url)}:${lineNumber + 1}`}`.trim();
    hits.set(name, (hits.get(name) ?? 0) + hitCount);
    sum += hitCount;
  }
  const sorted = [...hits].sort(([, a], [, b]) => b - a).slice(0, shownFunctions);
  return sorted.map(([name, count]) => `${name} ${Math.round((100 * count) / Math.max(1, sum))}%`);
}

/** The part of a processor profile that is read. */
interface Profile {
  readonly nodes: readonly {
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
    readonly hitCount?: number;
  }[];
}
