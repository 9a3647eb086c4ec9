// `sandbar lesson`: checks a lesson's folder, serves it from a sandbox while it is written, or publishes it.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { allPointsOf, type Lesson, lessonNameCharacters } from "../../shared/lesson/lesson.ts";
import { draftSuffix } from "../../shared/lesson/draft.ts";
import { folderBounds, readLessonFolder } from "../../shared/lesson/read-folder.ts";
import type { Run as LessonRun, RunWithTokens } from "../index.ts";
import { list, remove, reset, results, start } from "./class.ts";
import type { Run } from "./command-run.ts";
import { numberOf, secondsOf, UsageError } from "./values.ts";
import type { CommandHandler } from "./print.ts";

/** The exit code of a folder with problems. */
const wrong = 1;
/** Milliseconds between two checks of the files. */
const lookMs = 500;

const subcommands: Readonly<Record<string, CommandHandler>> = {
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
  const does = Object.hasOwn(subcommands, word) ? subcommands[word] : undefined;
  if (!does) throw new UsageError(`say ${Object.keys(subcommands).join(", ")}, not ${JSON.stringify(word)}`);
  return does({ ...run, words });
}

function folderOf({ words }: Run): string {
  const [folder] = words;
  if (folder === undefined || words.length > 1) throw new UsageError("name the folder of one lesson");
  return folder;
}

/** Prints the problems of the lesson, or its summary. */
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

/** Serves the draft until it is interrupted, then deletes it with its sandbox. */
async function serve(run: Run, folder: string): Promise<number | undefined> {
  const { client, signal } = run;
  const everyMs = secondsOf(run.text("every") ?? "5s", "--every") * 1000;
  const step = run.text("step");
  const lesson = tell(run, folder);
  if (!lesson) return wrong;
  if (lesson.exam && step !== undefined) throw new UsageError("--step: the tasks of an exam have no order");
  const name = `${lesson.name}${draftSuffix}`.slice(-lessonNameCharacters).replace(/^-+/, "");
  let { version } = await client.publishLesson({ ...lesson, name });
  const begun = await client.startRun(name, { learner: "draft" });
  try {
    run.print(await kubeconfigOf(run, begun));
    run.say(`${placeText(begun)}; save it, and work with it in another terminal`);
    run.say(`the lesson as learners see it, with every change that is saved: ${begun.url}`);
    if (step !== undefined && step !== "1") await client.skipToStep(name, begun.run, numberOf(step, "--step"));
    let [lastOutput, stamp] = ["", stampOf(folder)];
    for (let gradedMs = 0; !signal.aborted; ) {
      const now = stampOf(folder);
      if (now !== stamp) {
        stamp = now;
        const changed = tell(run, folder);
        if (changed && clusterNames(changed) !== clusterNames(lesson))
          throw new UsageError("the exam has other clusters now: serve it again");
        if (changed) ({ version } = await client.publishLesson({ ...changed, name }));
        gradedMs = 0;
      }
      if (Date.now() - gradedMs >= everyMs) {
        gradedMs = Date.now();
        const text = progressText(await client.checkRun(name, begun.run, version));
        if (text !== lastOutput) run.say(text);
        lastOutput = text;
      }
      await pause(lookMs, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    // An exam has a sandbox for each of its clusters, which are deleted with the run.
    try {
      await client.deleteRun(name, begun.run);
    } finally {
      await client.deleteLesson(name);
    }
  }
  return undefined;
}

/** Returns the author's kubeconfig. That of several clusters is the learner's, which has a context for each. */
async function kubeconfigOf({ client }: Run, { clusters, tokens, sandbox }: RunWithTokens): Promise<string> {
  const [first] = tokens;
  return clusters && first ? first.kubeconfig : client.getKubeconfig(sandbox.id);
}

function placeText({ clusters, sandbox }: RunWithTokens): string {
  if (!clusters) return `sandbox ${sandbox.id}: its kubeconfig is the output`;
  const places = clusters.map((cluster) => `${cluster.name} ${cluster.sandbox.id}`);
  return `sandboxes ${places.join(", ")}: the output is a kubeconfig with a context for each`;
}

function clusterNames({ clusters = [] }: Lesson): string {
  return clusters.map(({ name }) => name).join();
}

/** Formats the checks of the steps up to the learner's, or of all tasks of an exam. */
function progressText({ steps, step, points, maxPoints, state, exam }: LessonRun): string {
  const lines = steps.flatMap(({ title, checks, state: stepState, last, maxPoints: most }, at) => {
    if (!exam && (at + 1 > step || stepState === "ahead")) return [];
    const checkLines = checks.map(
      ({ name, passed, message }) => `  ${passed ? "+" : "-"} ${name}${message ? ` (${message})` : ""}`,
    );
    return [`${at + 1}. ${title}: ${exam ? `${last} of ${most} points` : stepState}`, ...checkLines];
  });
  return [...lines, `${points} of ${maxPoints} points${state === "finished" ? ", finished" : ""}`].join("\n");
}

/** Reads texts by their paths, with slashes. Hidden files do not belong to the lesson. */
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
      .filter((path) => !path.split(sep).some((segment) => segment.startsWith(".")))
      .sort();
  } catch (error) {
    throw new UsageError(`${folder} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Returns a value that changes whenever a file is written, added or removed. */
function stampOf(folder: string): string {
  return pathsOf(folder)
    .map((path) => `${path} ${statSync(join(folder, path)).mtimeMs}`)
    .join("\n");
}
