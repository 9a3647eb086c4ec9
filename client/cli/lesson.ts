// `sandbar lesson`: a lesson's folder is checked, tried in a sandbox while it is written, or published.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { allPointsOf, type Lesson, lessonNameCharacters } from "../../shared/lesson/lesson.ts";
import { draftSuffix } from "../../shared/lesson/draft.ts";
import { folderBounds, readLessonFolder } from "../../shared/lesson/read-folder.ts";
import type { Run as LessonRun } from "../index.ts";
import { list, remove, reset, results, start } from "./class.ts";
import type { Run } from "./command-run.ts";
import { numberOf, secondsOf, UsageError } from "./given.ts";
import type { Deed } from "./print.ts";

/** Where the folder is wrong. */
const wrong = 1;
/** Between two looks at the files. */
const lookMs = 500;

const deeds: Readonly<Record<string, Deed>> = {
  check: async (run) => (tell(run, folderOf(run)) ? undefined : wrong),
  serve: (run) => serve(run, folderOf(run)),
  publish: (run) => publish(run, folderOf(run)),
  list,
  start,
  results,
  reset,
  delete: remove,
};

export async function lessonCommand(run: Run): Promise<number | undefined | void> {
  const [word = "", ...words] = run.words;
  const does = Object.hasOwn(deeds, word) ? deeds[word] : undefined;
  if (!does) throw new UsageError(`say ${Object.keys(deeds).join(", ")}, not ${JSON.stringify(word)}`);
  return does({ ...run, words });
}

function folderOf({ words }: Run): string {
  const [folder] = words;
  if (folder === undefined || words.length > 1) throw new UsageError("name the folder of one lesson");
  return folder;
}

/** Says what is wrong with it, or what it is. */
function tell({ print }: Run, folder: string): Lesson | undefined {
  const read = readLessonFolder(filesOf(folder));
  if ("lesson" in read) {
    const { name, steps } = read.lesson;
    print(`${name}: ${steps.length} steps, ${allPointsOf(read.lesson)} points\n`);
    return read.lesson;
  }
  for (const { file, line, column, message } of read.problems) {
    print(`${join(folder, file)}:${line}:${column}: ${message}\n`);
  }
  return undefined;
}

async function publish(run: Run, folder: string): Promise<number | undefined> {
  const lesson = tell(run, folder);
  if (!lesson) return wrong;
  const { name, version } = await run.client.publishLesson(lesson);
  run.say(`${name} is published as version ${version}`);
  return undefined;
}

/** Until it is interrupted; then the draft and its sandbox are deleted. */
async function serve(run: Run, folder: string): Promise<number | undefined> {
  const { client, signal } = run;
  const everyMs = secondsOf(run.text("every") ?? "5s") * 1000;
  const lesson = tell(run, folder);
  if (!lesson) return wrong;
  const name = `${lesson.name}${draftSuffix}`.slice(-lessonNameCharacters).replace(/^-+/, "");
  let { version } = await client.publishLesson({ ...lesson, name });
  const begun = await client.startRun(name, { learner: "draft" });
  try {
    run.print(await client.getKubeconfig(begun.sandbox.id));
    run.say(`sandbox ${begun.sandbox.id}: its kubeconfig is the output; save it, and work with it in another terminal`);
    run.say(`the lesson as learners see it, with every change that is saved: ${begun.url}`);
    const step = run.text("step");
    if (step !== undefined && step !== "1") await client.skipToStep(name, begun.run, numberOf(step, "--step"));
    let [told, stamp] = ["", stampOf(folder)];
    for (let gradedMs = 0; !signal.aborted; ) {
      const now = stampOf(folder);
      if (now !== stamp) {
        stamp = now;
        const changed = tell(run, folder);
        if (changed) ({ version } = await client.publishLesson({ ...changed, name }));
        gradedMs = 0;
      }
      if (Date.now() - gradedMs >= everyMs) {
        gradedMs = Date.now();
        const text = shown(await client.checkRun(name, begun.run, version));
        if (text !== told) run.say(text);
        told = text;
      }
      await pause(lookMs, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    await client.deleteLesson(name);
    await client.deleteSandbox(begun.sandbox.id);
  }
  return undefined;
}

function shown({ steps, step, points, maxPoints, state }: LessonRun): string {
  const lines = steps.flatMap(({ title, checks, state: own }, at) => {
    if (at + 1 > step || own === "ahead") return [];
    const told = checks.map(
      ({ name, passed, message }) => `  ${passed ? "+" : "-"} ${name}${message ? ` (${message})` : ""}`,
    );
    return [`${at + 1}. ${title}: ${own}`, ...told];
  });
  return [...lines, `${points} of ${maxPoints} points${state === "finished" ? ", finished" : ""}`].join("\n");
}

/** Texts by their paths, with slashes. What begins with a dot is none of the lesson's. */
function filesOf(folder: string): Map<string, string> {
  const files = new Map<string, string>();
  let bytes = 0;
  for (const path of pathsOf(folder)) {
    bytes += statSync(join(folder, path)).size;
    if (files.size > folderBounds.files || bytes > 4 * folderBounds.characters) {
      throw new UsageError(`${folder} has more than ${folderBounds.files} files, or is larger than a lesson may be`);
    }
    files.set(path.split(sep).join("/"), readFileSync(join(folder, path), "utf8"));
  }
  return files;
}

function pathsOf(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
      .filter((path) => !path.split(sep).some((part) => part.startsWith(".")))
      .sort();
  } catch (error) {
    throw new UsageError(`${folder} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Another one whenever a file was written, came or went. */
function stampOf(folder: string): string {
  return pathsOf(folder)
    .map((path) => `${path} ${statSync(join(folder, path)).mtimeMs}`)
    .join("\n");
}
