// What one request of each verb costs, in JSON and protobuf, about a kind without defaults, one with many and one of a definition: the
// processor time of edge and object, beside a bare write or read of as many bytes in the same process, in turn.
import { connections, expect, inParallel } from "../http.ts";
import { type Form, forms, newLoad, prepare, type Subject, subjects, type Verb } from "../loads.ts";
import { processorSeconds } from "../processor.ts";
import { makeSandbox, type Sandbox } from "../sandbox.ts";
import type { Bench } from "../service.ts";
import { median } from "../statistics.ts";
import { type Figure, atLeastRatio, atMost } from "../table.ts";

const lanes = 8;
const rounds = 5;
const perRound = 600;
const warmUps = 2000;
const bareReads = "bare reads";
const bareWrites = "bare writes";
/** Of a bare write, or of a bare read for what only reads. */
const bars: Readonly<Partial<Record<Verb, number>>> = {
  create: 0.75,
  update: 0.65,
  patch: 0.65,
  apply: 0.55,
  get: 0.85,
};
const listed = 1000;
const listRounds = 7;
/** Microseconds an object of some 650 bytes. */
const listBars: Readonly<Record<Form, number>> = { json: 8, protobuf: 10 };

export async function requests(bench: Bench): Promise<Figure[]> {
  const sandbox = await makeSandbox(bench, { nodes: 0 });
  await prepare(sandbox, 0);
  // What all requests share is compiled before the first is measured.
  const warm = newLoad(sandbox, "create", "configmap", "json", lanes);
  await inParallel(lanes, warmUps, warm.once);
  warm.end();
  const figures: Figure[] = [];
  for (const verb of Object.keys(bars) as Verb[]) {
    for (const subject of subjects) {
      // What a definition brings has no protobuf form.
      for (const form of subject === "custom" ? forms.slice(0, 1) : forms) {
        figures.push(await beside(bench, sandbox, verb, subject, form));
      }
    }
  }
  sandbox.agent.destroy();
  return [...figures, ...(await lists(bench))];
}

/** Rounds of the two take turns, so that both have the same share of a busy machine; processor time is told, and not the clock's. */
async function beside(bench: Bench, sandbox: Sandbox, verb: Verb, subject: Subject, form: Form): Promise<Figure> {
  const load = newLoad(sandbox, verb, subject, form, lanes);
  const agent = connections(lanes);
  const bytes = await load.once();
  const body = "x".repeat(bytes);
  const bare =
    verb === "get"
      ? () => expect(200, agent, `${bench.bare}/?bytes=${bytes}`)
      : () => expect(201, agent, bench.bare, { method: "POST", body });
  await micros(load.once);
  await micros(bare);
  const [ours, theirs]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    ours.push(await micros(load.once));
    theirs.push(await micros(bare));
  }
  load.end();
  agent.destroy();
  const ratio = median(ours.map((value, round) => (theirs[round] ?? Number.NaN) / value));
  const what = `${verb} of a ${subject} in ${form}, beside ${verb === "get" ? bareReads : bareWrites}`;
  return { what, value: median(ours), unit: "µs", ratio, bar: atLeastRatio(ratio, bars[verb] ?? 0) };
}

/** Of processor time, a request. */
async function micros(once: () => Promise<unknown>): Promise<number> {
  const start = processorSeconds();
  await inParallel(lanes, perRound, once);
  return ((processorSeconds() - start) * 1e6) / perRound;
}

async function lists(bench: Bench): Promise<Figure[]> {
  const sandbox = await makeSandbox(bench, { nodes: 0 });
  await prepare(sandbox, listed - lanes, ["configmap"]);
  const figures: Figure[] = [];
  for (const form of forms) {
    const load = newLoad(sandbox, "list", "configmap", form, 1);
    const times: number[] = [];
    await load.once();
    for (let round = 0; round < listRounds; round++) {
      const start = processorSeconds();
      for (let time = 0; time < 10; time++) await load.once();
      times.push(((processorSeconds() - start) * 1e6) / (10 * listed));
    }
    load.end();
    const value = median(times);
    const what = `list of 1,000 ConfigMaps in ${form}, an object`;
    figures.push({ what, value, unit: "µs", bar: atMost(value, listBars[form], "µs") });
  }
  sandbox.agent.destroy();
  return figures;
}
