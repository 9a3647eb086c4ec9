// `sandbar class`: a link to a lesson for all who are to do it.
import type { LessonClass } from "../index.ts";
import type { Run } from "./command-run.ts";
import { numberOf, secondsOf, UsageError } from "./given.ts";
import { type Deed, oneOf, printJson, table } from "./print.ts";

export const classDeeds: Readonly<Record<string, Deed>> = {
  class: (run) => oneOf(run, { create, list, delete: remove }),
};

/** The link is what is asked for. */
async function create(run: Run): Promise<void> {
  const lesson = lessonOf(run);
  const [title, seats, ttl] = [run.text("title"), run.text("seats"), run.text("ttl")];
  if (title === undefined) throw new UsageError("--title is required");
  if (run.words.length > 1) throw new UsageError("name one lesson");
  const made = await run.client.classes.createClass(lesson, {
    title,
    ...(seats === undefined ? {} : { seats: numberOf(seats, "--seats") }),
    ...(ttl === undefined ? {} : { ttlSeconds: secondsOf(ttl) }),
  });
  if (run.has("json")) return printJson(run, made);
  run.say(`class ${made.id}: ${made.seats} seats, for whoever has the link, until ${made.expiresAt}`);
  run.print(`${made.url}\n`);
}

async function list(run: Run): Promise<void> {
  const lesson = lessonOf(run);
  if (run.words.length > 1) throw new UsageError("name one lesson");
  const { classes } = await run.client.classes.listClasses(lesson);
  if (run.has("json")) return printJson(run, classes);
  const cells = (one: LessonClass) => [one.id, `${one.taken}/${one.seats}`, one.expiresAt, one.url, one.title];
  run.print(table(["CLASS", "SEATS", "EXPIRES", "LINK", "TITLE"], classes.map(cells)));
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

function lessonOf({ words: [lesson] }: Run): string {
  if (lesson === undefined) throw new UsageError("name the lesson");
  return lesson;
}
