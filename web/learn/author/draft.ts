// The draft of a lesson in the browser: its files, kept in this browser until they are published.
import { lessonFile, readLessonFolder, type ReadLesson } from "../../../shared/lesson/read-folder.ts";

export type Files = ReadonlyMap<string, string>;

/** The files of a new lesson. */
export const newLesson: Files = new Map([
  [
    lessonFile,
    `name: my-lesson
title: My lesson
description: What learners can do afterwards.
steps:
  - title: A ConfigMap
    page: 1-config-map.md
    checks:
      - name: There is a ConfigMap hello
        hint: kubectl create configmap hello --from-literal=text=world
        expression: found("v1", "ConfigMap", "default", "hello")
    questions:
      - kind: choice
        name: What it is for
        text: What is a ConfigMap for?
        options:
          - {text: Settings of programs, correct: true, feedback: "Yes, and a Secret is for what nobody else may read."}
          - {text: Running programs, feedback: "That is a Pod."}
    hints:
      - text: The command begins with \`kubectl create configmap\`.
    solution:
      - apply: |
          apiVersion: v1
          kind: ConfigMap
          metadata: {name: hello}
          data: {text: world}
`,
  ],
  ["1-config-map.md", "# A ConfigMap\n\nMake a ConfigMap `hello` whose key `text` has the value `world`.\n"],
]);

export function readDraft(files: Files): ReadLesson {
  return readLessonFolder(files);
}

function storageName(name: string): string {
  return `sandbar.author.${name}`;
}

/** Returns the unpublished files of a lesson, or undefined if there are none. */
export function storedDraft(name: string): Files | undefined {
  try {
    const text = localStorage.getItem(storageName(name));
    // This page wrote it.
    return text === null ? undefined : new Map(JSON.parse(text) as [string, string][]);
  } catch {
    return undefined;
  }
}

export function keepDraft(name: string, files: Files | undefined): void {
  try {
    if (files) localStorage.setItem(storageName(name), JSON.stringify([...files]));
    else localStorage.removeItem(storageName(name));
  } catch {
    // Without storage, the draft ends with the page.
  }
}
