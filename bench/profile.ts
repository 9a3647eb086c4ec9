// `npm run profile -- <verb> <subject> <form>`: a CPU profile of edge and object under a load of one verb (create, get, update, patch,
// apply, delete, list) about one subject (configmap, pod, custom), in json or protobuf. Writes `dist/profile.cpuprofile`, which browsers open,
// and prints where the time went.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../scripts/build.ts";
import { openInspector } from "./inspector.ts";
import { forms, newLoad, prepare, subjects, verbs } from "./loads.ts";
import { processorSeconds } from "./processor.ts";
import { makeSandbox } from "./sandbox.ts";
import { openBench } from "./service.ts";

const lanes = 8;
const warmUpMs = 3000;
const profiledMs = 8000;
const shown = Number(process.env["SHOWN"] ?? 40);
const listed = 500;
/** As many as are taken away while it is profiled, and more. */
const stocked = 15_000;

/** As the inspector's protocol has it. */
interface Profile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly lineNumber: number; readonly columnNumber: number };
    readonly children?: readonly number[];
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

const chosen = <T extends string>(all: readonly T[], given: string | undefined): T => {
  const found = all.find((one) => one === (given ?? all[0]));
  if (!found) throw new Error(`there is no ${given ?? ""}, only ${all.join(", ")}`);
  return found;
};
const [verbText, subjectText, formText] = process.argv.slice(2);
const [verb, subject, form] = [chosen(verbs, verbText), chosen(subjects, subjectText), chosen(forms, formText)];

const bench = await openBench();
try {
  const sandbox = await makeSandbox(bench, { nodes: subject === "pod" ? 0 : 3 });
  await prepare(sandbox, verb === "list" ? listed : 0, [subject]);
  const load = newLoad(sandbox, verb, subject, form, lanes);
  const runFor = async (ms: number): Promise<number> => {
    const endMs = performance.now() + ms;
    let count = 0;
    const lane = async () => {
      while (performance.now() < endMs) {
        await load.once();
        count++;
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
    return count;
  };
  await load.stock(stocked);
  await runFor(warmUpMs);
  const inspector = await openInspector(bench);
  const running = runFor(profiledMs);
  await inspector.call("Profiler.enable");
  await inspector.call("Profiler.setSamplingInterval", { interval: 200 });
  await inspector.call("Profiler.start");
  const startSeconds = processorSeconds();
  const count = await running;
  const seconds = processorSeconds() - startSeconds;
  // The inspector is answered when the isolate has something to do.
  const stopping = inspector.call<{ readonly profile: Profile }>("Profiler.stop");
  await load.once();
  const { profile } = await stopping;
  mkdirSync(join(root, "dist"), { recursive: true });
  writeFileSync(join(root, "dist/profile.cpuprofile"), JSON.stringify(profile));
  console.log(
    `${verb} of a ${subject} in ${form}: ${count} requests, ${((seconds * 1e6) / count).toFixed(0)} µs of processor time each`,
  );
  for (const line of hottest(profile)) console.log(line);
  inspector.end();
  load.end();
  sandbox.agent.destroy();
} finally {
  await bench.end();
}

/** Shares of the samples that are not idle: of a function itself, and with all that it calls. */
function hottest({ nodes, samples, timeDeltas }: Profile): string[] {
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
