// `sandbar class`: a link to a lesson for many learners, their seats, and what a teacher does for a class.
import type { LessonClass, Reached } from "../index.ts";
import { allResults } from "./class.ts";
import type { Run } from "./command-run.ts";
import { readPages } from "./pages.ts";
import { type CommandHandler, optional, printJson, runSubcommand, table } from "./print.ts";
import { numberOf, secondsOf, textOf, UsageError } from "./values.ts";

export const classCommands: Readonly<Record<string, CommandHandler>> = {
  class: (run) =>
    runSubcommand(run, {
      ...{ create, list, seats, message, compare, delete: remove },
      time: addTime,
      pause: (of) => setPaused(of, true),
      resume: (of) => setPaused(of, false),
    }),
};

/** Creates a class and prints its link, or with `--emails` a link for each address. */
async function create(run: Run): Promise<void> {
  const lesson = lessonOf(run);
  const [title, seatCount, ttl, teamSize] = ["title", "seats", "ttl", "team-size"].map((name) => run.text(name));
  if (title === undefined) throw new UsageError("--title is required");
  if (run.words.length > 1) throw new UsageError("name one lesson");
  const emails = emailsOf(run);
  const created = await run.client.classes.createClass(lesson, {
    title,
    ...(seatCount === undefined ? {} : { seats: numberOf(seatCount, "--seats") }),
    ...(ttl === undefined ? {} : { ttlSeconds: secondsOf(ttl, "--ttl") }),
    ...optional("deadline", timeOf(run.text("deadline"))),
    ...(teamSize === undefined ? {} : { teamSize: numberOf(teamSize, "--team-size") }),
    listedOnly: run.has("listed-only"),
  });
  const reserved = emails && (await run.client.classes.reserveSeats(lesson, created.id, { emails }));
  if (run.has("json")) return printJson(run, reserved ? { ...created, ...reserved } : created);
  run.say(`class ${created.id}: ${created.seats} seats, for whoever has the link, until ${created.expiresAt}`);
  run.print(reserved ? linesOf(reserved.seats) : `${created.url}\n`);
}

async function list(run: Run): Promise<void> {
  const lesson = lessonOf(run);
  if (run.words.length > 1) throw new UsageError("name one lesson");
  const classes = await readPages(
    (page) => run.client.classes.listClasses(lesson, page),
    (page) => page.classes,
  );
  if (run.has("json")) return printJson(run, classes);
  const cells = (lessonClass: LessonClass) => [
    lessonClass.id,
    `${lessonClass.taken}/${lessonClass.seats}`,
    lessonClass.expiresAt,
    lessonClass.url,
    lessonClass.title,
  ];
  run.print(table(["CLASS", "SEATS", "EXPIRES", "LINK", "TITLE"], classes.map(cells)));
}

/** Prints a line for each seat: the address or name, a tab, and the own link. With `--emails`, reserves seats first. */
async function seats(run: Run): Promise<void> {
  const lesson = lessonOf(run);
  const [, id] = run.words;
  if (id === undefined) throw new UsageError("name the class by its id");
  const emails = emailsOf(run);
  const { classes } = run.client;
  const seatPage = emails ? await classes.reserveSeats(lesson, id, { emails }) : await classes.listSeats(lesson, id);
  if (run.has("json")) return printJson(run, seatPage.seats);
  run.print(linesOf(seatPage.seats));
}

async function message(run: Run): Promise<void> {
  const text = run.text("text");
  if (text === undefined) throw new UsageError("--text is required");
  tell(run, await run.client.classes.sendMessage(lessonOf(run), { ...(await which(run)), text }), "message sent");
}

async function addTime(run: Run): Promise<void> {
  const minutes = numberOf(run.text("minutes") ?? "", "--minutes");
  const done = await run.client.classes.addTime(lessonOf(run), { ...(await which(run)), minutes });
  tell(run, done, `${minutes} minutes added`);
}

async function setPaused(run: Run, paused: boolean): Promise<void> {
  const done = await run.client.classes.pauseRuns(lessonOf(run), { ...(await which(run)), paused });
  tell(run, done, paused ? "paused" : "continued");
}

async function compare(run: Run): Promise<void> {
  const { pairs, compared } = await run.client.classes.compareRuns(lessonOf(run), optional("class", run.words[1]));
  if (run.has("json")) return printJson(run, pairs);
  run.say(`${compared} runs compared; what two share is a hint to look closer, never a verdict`);
  const rows = pairs.map(({ runs, similarity, shared }) => [
    `${Math.round(similarity * 100)} %`,
    runs.map(({ learner }) => learner).join(", "),
    shared.join(" | "),
  ]);
  run.print(table(["SIMILARITY", "LEARNERS", "SHARED"], rows));
}

async function remove(run: Run): Promise<void> {
  const lesson = lessonOf(run);
  const classes = run.words.slice(1);
  if (classes.length === 0) throw new UsageError("name the classes by their ids");
  for (const id of classes) {
    await run.client.classes.deleteClass(lesson, id);
    run.say(`${id} is deleted`);
  }
}

/** Returns the runs of a command: those of the named class, that of `--learner`, or all of the lesson. */
async function which(run: Run): Promise<{ run?: string; class?: string }> {
  const [lesson = "", id] = run.words;
  const learner = run.text("learner");
  if (learner === undefined) return optional("class", id);
  const live = (await allResults(run, lesson, { learner })).find(({ state }) => state !== "expired");
  if (!live) throw new UsageError(`${lesson} has no such learner: ${learner}`);
  return { run: live.run };
}

function tell(run: Run, { runs, failed }: Reached, what: string): void {
  run.say(`${runs} ${runs === 1 ? "run" : "runs"}: ${what}`);
  for (const learner of failed) run.say(`${learner} could not be reached`);
}

function linesOf(all: readonly { readonly name: string; readonly email: string; readonly url: string }[]): string {
  return all.map(({ name, email, url }) => `${email || name}\t${url}\n`).join("");
}

/** Reads the addresses of the file of `--emails`, one on each line. */
function emailsOf(run: Run): string[] | undefined {
  const path = run.text("emails");
  if (path === undefined) return undefined;
  const emails = textOf(path).split(/[\s,;]+/);
  return emails.filter((email) => email !== "");
}

function timeOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) throw new UsageError(`--deadline must be a time such as 2026-05-01T12:00Z, not ${text}`);
  return new Date(ms).toISOString();
}

function lessonOf({ words: [lesson] }: Run): string {
  if (lesson === undefined) throw new UsageError("name the lesson");
  return lesson;
}
