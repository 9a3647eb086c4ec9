// `npm run profile -- <verb> <subject> <form>`: takes a CPU profile of edge and object under a load. The verb is create, get, update,
// patch, apply, delete or list; the subject is configmap, pod or custom; the form is json or protobuf. Writes `dist/profile.cpuprofile`,
// which browsers open, and prints the hottest functions. `--lanes=1` sets the number of concurrent requests, `--listed=5000` that of objects.
import { readWords, refuseWords } from "../scripts/command-words.ts";
import { forms, newLoad, prepare, subjects, verbs } from "./loads.ts";
import { processorSeconds } from "./processor.ts";
import { profiled } from "./profiled.ts";
import { makeSandbox } from "./sandbox.ts";
import { openBench } from "./service.ts";

const warmUpMs = 3000;
const profiledMs = 8000;
const sampleMicros = 200;
/** More objects than are deleted while it is profiled. */
const stocked = 15_000;

const usage = `Usage: npm run profile -- <${verbs.join("|")}> <${subjects.join("|")}> <${forms.join("|")}> [--lanes=1] [--listed=5000]`;
const chosen = <T extends string>(all: readonly T[], text: string | undefined): T =>
  all.find((candidate) => candidate === (text ?? all[0])) ?? refuseWords(usage, `There is no ${text ?? ""}.`);
const { values: numbers, positionals } = readWords(usage, {
  allowPositionals: true,
  options: { lanes: { type: "string", default: "8" }, listed: { type: "string", default: "500" } },
});
const [lanes, listed] = [Number(numbers.lanes), Number(numbers.listed)];
const [verbText, subjectText, formText] = positionals;
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
  const { result, lines } = await profiled(bench, "profile", sampleMicros, async () => {
    const startSeconds = processorSeconds();
    const count = await runFor(profiledMs);
    return { count, seconds: processorSeconds() - startSeconds };
  });
  const { count, seconds } = result;
  console.log(
    `${verb} of a ${subject} in ${form}: ${count} requests, ${((seconds * 1e6) / count).toFixed(0)} µs of processor time each`,
  );
  for (const line of lines) console.log(line);
  load.end();
  sandbox.agent.destroy();
} finally {
  await bench.end();
}
