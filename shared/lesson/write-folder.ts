// Writes a lesson as the folder that `read-folder.ts` reads: `lesson.yaml`, a page for each step, and the manifests.
import { stringify } from "yaml";
import { lessonFile } from "./read-folder.ts";
import type { Lesson, LessonCluster, Step } from "./lesson.ts";

const manifestsFile = "manifests.yaml";

/** Returns texts by path. Reading them again gives the same lesson. */
export function writeLessonFolder(lesson: Lesson): Map<string, string> {
  const { manifests, clusters, steps, ...fields } = lesson;
  const pages = steps.map((step, at) => [`${at + 1}-${wordsOf(step.title)}.md`, step] as const);
  const document = {
    ...fields,
    ...(manifests.trim() === "" ? {} : { manifests: [manifestsFile] }),
    ...(clusters ? { clusters: clusters.map(clusterOf) } : {}),
    steps: pages.map(([page, step]) => stepOf(page, step)),
  };
  return new Map([
    [lessonFile, stringify(document, { lineWidth: 0, blockQuote: "literal" })],
    ...pages.map(([page, { text }]) => [page, text] as const),
    ...(manifests.trim() === "" ? [] : ([[manifestsFile, manifests]] as const)),
    ...(clusters ?? [])
      .filter(({ manifests: text }) => text.trim() !== "")
      .map(({ name, manifests: text }) => [clusterFile(name), text] as const),
  ]);
}

/** Replaces the manifests by the name of their file, and leaves out empty fields. */
function clusterOf({ manifests, prepare, ...rest }: LessonCluster): object {
  return {
    ...rest,
    ...(manifests.trim() === "" ? {} : { manifests: [clusterFile(rest.name)] }),
    ...(prepare.length > 0 ? { prepare } : {}),
  };
}

function clusterFile(name: string): string {
  return `cluster-${name}.yaml`;
}

/** Orders the fields of a step as authors write them, and leaves out empty ones. */
function stepOf(page: string, { title, text: _, checks, questions, solution, ...rest }: Step): object {
  return {
    ...{ title, page },
    ...rest,
    ...(checks.length > 0 ? { checks } : {}),
    ...(questions && questions.length > 0 ? { questions } : {}),
    ...(solution.length > 0 ? { solution } : {}),
  };
}

function wordsOf(title: string): string {
  const words = title.toLowerCase().match(/[a-z0-9]+/g) ?? ["step"];
  return words.join("-").slice(0, 40);
}
