// `sandbar class`: a link to a lesson for many learners.
import type { LessonClass } from "../index.ts";
import type { Run } from "./command-run.ts";
import { numberOf, secondsOf, UsageError } from "./values.ts";
import { type CommandHandler, runSubcommand, printJson, table } from "./print.ts";

export const classCommands: Readonly<Record<string, CommandHandler>> = {
  class: (run) => runSubcommand(run, { create, list, delete: remove }),
};

/** Creates a class and prints its link. */
async function create(run: Run): Promise<void> {
  const lesson = lessonOf(run);
  const [title, seats, ttl] = [run.text("title"), run.text("seats"), run.text("ttl")];
  if (title === undefined) throw new UsageError("--title is required");
  if (run.words.length > 1) throw new UsageError("name one lesson");
  const created = await run.client.classes.createClass(lesson, {
    title,
    ...(seats === undefined ? {} : { seats: numberOf(seats, "--seats") }),
    ...(ttl === undefined ? {} : { ttlSeconds: secondsOf(ttl, "--ttl") }),
  });
  if (run.has("json")) return printJson(run, created);
  run.say(`class ${created.id}: ${created.seats} seats, for whoever has the link, until ${created.expiresAt}`);
  run.print(`${created.url}\n`);
}

async function list(run: Run): Promise<void> {
  const lesson = lessonOf(run);
  if (run.words.length > 1) throw new UsageError("name one lesson");
  const { classes } = await run.client.classes.listClasses(lesson);
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
