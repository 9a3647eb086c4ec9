// The cost of one request of each verb, in JSON and protobuf, for a kind without defaults, one with many, and a custom one. It is the
// processor time of edge and object, compared with a bare write or read of as many bytes in the same process, in alternating rounds.
//
// The requests are also measured over https, with 200 watchers, and in a cluster of 10,000 objects. Those are only measured for a
// ConfigMap, unless `--all` is set; `--plain` leaves them out. `--requests=150` sets the requests of a round; `--only="get of a pod"`
// measures only figures whose names begin like this.
import { type Ask, connections, expect, inParallel } from "../http.ts";
import {
  collectionOf,
  type Form,
  forms,
  listForms,
  type ListForm,
  newLoad,
  prepare,
  type Subject,
  subjects,
  type Verb,
} from "../loads.ts";
import { processorSeconds } from "../processor.ts";
import { makeSandbox, type Sandbox } from "../sandbox.ts";
import type { Bench } from "../service.ts";
import { median } from "../statistics.ts";
import { type Figure, atLeastRatio, atMost } from "../table.ts";
import { watch } from "../watch.ts";

const lanes = 8;
const rounds = 5;
/** Requests of a round, unless `--requests=` is set. */
const usual = 600;
const warmUps = 2000;
const watchers = 200;
const manyObjects = 10_000;
/** The allowed multiple of a bare write, or of a bare read for verbs that only read. */
const bars: Readonly<Partial<Record<Verb, number>>> = {
  create: 0.75,
  update: 0.65,
  patch: 0.65,
  apply: 0.55,
  get: 0.85,
  delete: 0.75,
};
const listed = 1000;
const listRounds = 7;
/** Microseconds for an object of some 650 bytes. */
const listBars: Readonly<Record<ListForm, number>> = { json: 8, protobuf: 10, table: 12 };

/** The conditions under which a request is measured. */
interface Situation {
  readonly what: string;
  readonly bench: Pick<Bench, "bare">;
  readonly sandbox: Sandbox;
}

/** The choice that flags make: see the first lines. */
interface Choice {
  readonly perRound: number;
  /** The beginning of the names of figures to measure; "" for all. */
  readonly only: string;
}

export async function requests(bench: Bench, flags: ReadonlySet<string>): Promise<Figure[]> {
  const valueOf = (name: string) => [...flags].find((flag) => flag.startsWith(`${name}=`))?.slice(name.length + 1);
  const choice = { perRound: Number(valueOf("requests") ?? usual), only: valueOf("only") ?? "" };
  const figures = await all(await plain(bench), subjects, choice);
  const some: readonly Subject[] = flags.has("all") ? subjects : ["configmap"];
  for (const situation of flags.has("plain") ? [] : [overTls, watched, filled])
    figures.push(...(await all(await situation(bench), some, choice)));
  return [...figures, ...(await lists(bench))];
}

async function plain(bench: Bench): Promise<Situation> {
  return { what: "", bench, sandbox: await emptySandbox(bench, bench.sandbar) };
}

async function overTls(bench: Bench): Promise<Situation> {
  const { sandbar, bare } = await bench.overTls();
  return { what: ", over https", bench: { bare }, sandbox: await emptySandbox(bench, sandbar) };
}

/** Adds watchers that receive every write. */
async function watched(bench: Bench): Promise<Situation> {
  const sandbox = await emptySandbox(bench, bench.sandbar);
  await inParallel(lanes, watchers, () => watch(sandbox, collectionOf("configmap"), () => undefined));
  return { what: `, ${watchers} watchers`, bench, sandbox };
}

async function filled(bench: Bench): Promise<Situation> {
  const sandbox = await makeSandbox(bench, { nodes: 0 });
  await prepare(sandbox, manyObjects, ["configmap"]);
  await prepare(sandbox, 0, ["pod", "custom"]);
  return { what: `, among ${manyObjects.toLocaleString("en")} objects`, bench, sandbox };
}

/** Creates a sandbox, and runs requests so that shared code is compiled before the first is measured. */
async function emptySandbox(bench: Bench, origin: string): Promise<Sandbox> {
  const sandbox = await makeSandbox(bench, { nodes: 0, origin });
  await prepare(sandbox, 0);
  const warm = newLoad(sandbox, "create", "configmap", "json", lanes);
  await inParallel(lanes, warmUps, warm.once);
  warm.end();
  return sandbox;
}

async function all(situation: Situation, chosen: readonly Subject[], choice: Choice): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const verb of Object.keys(bars) as Verb[]) {
    for (const subject of chosen) {
      // Custom resources have no protobuf form.
      for (const form of subject === "custom" ? forms.slice(0, 1) : forms) {
        const what = `${verb} of a ${subject} in ${form}`;
        if (what.startsWith(choice.only)) figures.push(await beside(situation, choice, verb, subject, form));
      }
    }
  }
  situation.sandbox.agent.destroy();
  return figures;
}

/** Measures alternating rounds, so that both have the same share of a busy machine. The result is processor time, not elapsed time. */
async function beside(
  { what: where, bench, sandbox }: Situation,
  { perRound }: Choice,
  verb: Verb,
  subject: Subject,
  form: Form,
): Promise<Figure> {
  const load = newLoad(sandbox, verb, subject, form, lanes);
  const agent = connections(lanes, bench.bare);
  await load.stock(1);
  const bytes = await load.once();
  // The same headers, whose transfer is not part of the measured work.
  const same: Ask = { token: sandbox.token, headers: { accept: "application/json" } };
  const body = "x".repeat(bytes);
  const write = () => expect(201, agent, bench.bare, { ...same, method: "POST", body });
  // The bare read returns what was written, so that both read as many bytes.
  await write();
  const bare = verb === "get" ? () => expect(200, agent, `${bench.bare}/newest`, same) : write;
  await micros(bare, perRound);
  await load.stock((rounds + 1) * perRound);
  await micros(load.once, perRound);
  const [ours, theirs]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    ours.push(await micros(load.once, perRound));
    theirs.push(await micros(bare, perRound));
  }
  load.end();
  agent.destroy();
  const ratio = median(ours.map((value, round) => (theirs[round] ?? Number.NaN) / value));
  const what = `${verb} of a ${subject} in ${form}${where}, beside bare ${verb === "get" ? "reads" : "writes"}`;
  return { what, value: median(ours), unit: "µs", ratio, bar: atLeastRatio(ratio, bars[verb] ?? 0) };
}

/** Returns the microseconds of processor time of a request. */
async function micros(once: () => Promise<unknown>, count: number): Promise<number> {
  const start = processorSeconds();
  await inParallel(lanes, count, once);
  return ((processorSeconds() - start) * 1e6) / count;
}

async function lists(bench: Bench): Promise<Figure[]> {
  const sandbox = await makeSandbox(bench, { nodes: 0 });
  await prepare(sandbox, listed - lanes, ["configmap"]);
  const figures: Figure[] = [];
  for (const form of listForms) {
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
