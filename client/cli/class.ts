// `sandbar lesson` for a class: links for learners, their progress and scores, and resets.
import type { ResultList } from "../index.ts";
import type { Run } from "./command-run.ts";
import { UsageError } from "./values.ts";
import { readPages } from "./pages.ts";
import { optional, printJson, table } from "./print.ts";

type Filter = Readonly<Partial<Record<"learner" | "class", string>>>;
type Result = ResultList["results"][number];

/** The limit of pages that are read, so that a faulty cursor ends. A page has 100 results by default, a tenant fewer than 6,000 runs. */
const maxPages = 60;

export async function list(run: Run): Promise<void> {
  const lessons = await readPages(
    (page) => run.client.listLessons(page),
    (page) => page.lessons,
  );
  if (run.has("json")) return printJson(run, lessons);
  const rows = lessons.map(({ name, version, steps, points, title }) => [
    name,
    `${version}`,
    `${steps}`,
    `${points}`,
    title,
  ]);
  run.print(table(["NAME", "VERSION", "STEPS", "POINTS", "TITLE"], rows));
}

/** Prints a line for each learner: the name, a tab, and the address of the page. */
export async function start(run: Run): Promise<void> {
  const [name, ...learners] = run.words;
  if (name === undefined || learners.length === 0) throw new UsageError("name the lesson and its learners");
  for (const learner of learners) {
    const { url } = await run.client.startRun(name, { learner, resume: true });
    run.print(`${learner}\t${url}\n`);
  }
  run.say("Keep the links private: a link gives access as its learner.");
}

export async function results(run: Run): Promise<void> {
  const name = lessonOf(run);
  const filter = { ...optional("learner", run.text("learner")), ...optional("class", run.text("class")) };
  if (run.has("csv")) return printCsv(run, name, filter);
  const all = await allResults(run, name, filter);
  if (run.has("json")) return printJson(run, all);
  const rows = all.map(({ learner, state, step, steps, stepStartedAt, points, maxPoints, run: id }) => [
    ...[learner, state, `${step}`, `${steps[step - 1]?.attempts ?? 0}`, stepStartedAt, `${points}/${maxPoints}`, id],
  ]);
  run.print(table(["LEARNER", "STATE", "STEP", "ATTEMPTS", "STEP SINCE", "POINTS", "RUN"], rows));
}

/** Resets the runs of learners by name, or all that have not expired. */
export async function reset(run: Run): Promise<void> {
  const name = lessonOf(run);
  const learners = run.words.slice(1);
  if (learners.length === 0 && !run.has("all")) throw new UsageError("name learners, or say --all");
  const live = (await allResults(run, name, {})).filter(({ state }) => state !== "expired");
  const chosenRuns = run.has("all") ? live : live.filter(({ learner }) => learners.includes(learner));
  const missing = learners.filter((learnerName) => !chosenRuns.some(({ learner }) => learner === learnerName));
  if (missing.length > 0) throw new UsageError(`${name} has no such learners: ${missing.join(", ")}`);
  for (const { run: id, learner } of chosenRuns) {
    await run.client.resetRun(name, id);
    run.say(`${learner}'s run was reset`);
  }
}

export async function remove(run: Run): Promise<void> {
  const name = lessonOf(run);
  await run.client.deleteLesson(name);
  run.say(`${name} is deleted with its results`);
}

function lessonOf({ words: [name] }: Run): string {
  if (name === undefined) throw new UsageError("name the lesson");
  return name;
}

export async function allResults(run: Run, name: string, filter: Filter): Promise<Result[]> {
  return readPages(
    (page) => run.client.listResults(name, { ...filter, ...page }),
    ({ results }) => results,
  );
}

async function printCsv(run: Run, name: string, filter: Filter): Promise<void> {
  for (let cursor: string | undefined, pages = 0; pages < maxPages; pages++) {
    const page = { ...filter, ...optional("cursor", cursor) };
    const text = await run.client.resultsCsv(name, page);
    // Only the first page keeps its head.
    run.print(pages === 0 ? text : text.slice(text.indexOf("\r\n") + 2));
    // CSV has no field for the cursor, so the same page is read as JSON for it.
    cursor = (await run.client.listResults(name, page)).nextCursor;
    if (cursor === undefined) return;
  }
}
