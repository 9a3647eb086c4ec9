// The page of a lesson's author: its files, a preview, a try against a live cluster, versions, import and export.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { draftSuffix } from "../../../shared/lesson/draft.ts";
import type { Lesson } from "../../../shared/lesson/lesson.ts";
import { lessonFile, type LessonProblem } from "../../../shared/lesson/read-folder.ts";
import { writeLessonFolder } from "../../../shared/lesson/write-folder.ts";
import { messageOf } from "../../api/control-failure.ts";
import { texts } from "../../messages/author.ts";
import { Alert } from "../../parts/alert.tsx";
import { Loading } from "../../parts/loading.tsx";
import type { LessonsApi } from "../board/lessons-api.ts";
import { readArchive, writeZip } from "./archive.ts";
import { type Files, keepDraft, newLesson, readDraft, storedDraft } from "./draft.ts";
import { FileList } from "./file-list.tsx";
import { Preview } from "./preview.tsx";
import { TryPanel } from "./try-panel.tsx";
import { Versions } from "./versions.tsx";

interface Props {
  readonly api: LessonsApi;
  /** The lesson, or empty for a new one. */
  readonly name: string;
  /** The files with which a new lesson begins. */
  readonly from: Files | undefined;
}

export function AuthorPage({ api, name, from }: Props) {
  const [files, setFiles] = useState<Files | undefined>(
    () => storedDraft(name) ?? (name === "" ? (from ?? newLesson) : undefined),
  );
  const [failure, setFailure] = useState("");
  useEffect(() => {
    document.title = `${name || texts.newLesson} · Sandbar`;
    if (files) return;
    api.lesson(name).then(
      ({ lesson }) => setFiles(writeLessonFolder(lesson)),
      (error: unknown) => setFailure(messageOf(error)),
    );
  }, [api, name, files]);
  if (!files) return failure ? <Alert text={failure} /> : <Loading rows={8} />;
  return <Workbench api={api} name={name} files={files} setFiles={setFiles} />;
}

interface WorkbenchProps {
  readonly api: LessonsApi;
  readonly name: string;
  readonly files: Files;
  readonly setFiles: (files: Files) => void;
}

function Workbench({ api, name, files, setFiles }: WorkbenchProps) {
  const [path, setPath] = useState(lessonFile);
  const [notice, say] = useState("");
  const [failure, setFailure] = useState("");
  const [isTrying, setTrying] = useState(false);
  const editor = useRef<HTMLTextAreaElement>(null);
  const read = useMemo(() => readDraft(files), [files]);
  const lesson = "lesson" in read ? read.lesson : undefined;
  const problems = "problems" in read ? read.problems : [];
  const change = (next: Files) => {
    setFiles(next);
    keepDraft(name, next);
  };
  const does = (action: Promise<string>) => {
    setFailure("");
    action.then(say, (error: unknown) => setFailure(messageOf(error)));
  };
  const goTo = ({ file, line, column }: LessonProblem) => {
    setPath(file);
    // The editor shows the file after the next rendering.
    setTimeout(() => select(editor.current, line, column));
  };
  return (
    <div class="author">
      <Head
        name={name}
        lesson={lesson}
        does={does}
        api={api}
        files={files}
        change={(next) => {
          change(next);
          setPath(lessonFile);
        }}
        tryIt={() => setTrying(true)}
      />
      <p class="said" role="status">
        {notice}
      </p>
      <Alert text={failure} />
      <div class="author-body">
        <section class="panel author-files" aria-label={texts.files}>
          <FileList files={files} path={path} open={setPath} change={change} />
          <textarea
            ref={editor}
            class="code"
            aria-label={texts.textOf(path)}
            spellcheck={false}
            value={files.get(path) ?? ""}
            onInput={({ currentTarget }) => change(new Map(files).set(path, currentTarget.value))}
          />
          <Problems problems={problems} goTo={goTo} />
        </section>
        <section class="panel author-preview" aria-label={texts.preview}>
          {lesson ? <Preview lesson={lesson} /> : <p class="hint">{texts.noPreview}</p>}
        </section>
      </div>
      {isTrying && lesson && <TryPanel api={api} lesson={lesson} close={() => setTrying(false)} />}
    </div>
  );
}

interface HeadProps {
  readonly api: LessonsApi;
  readonly name: string;
  readonly lesson: Lesson | undefined;
  readonly files: Files;
  readonly change: (files: Files) => void;
  readonly does: (action: Promise<string>) => void;
  readonly tryIt: () => void;
}

function Head({ api, name, lesson, files, change, does, tryIt }: HeadProps) {
  const publish = async () => {
    if (!lesson) return texts.hasProblems;
    if (lesson.name.endsWith(draftSuffix)) return texts.draftName(draftSuffix);
    const { name: published, version } = await api.publish(lesson);
    keepDraft(name, undefined);
    if (published !== name) location.hash = `#/lessons/${published}/edit`;
    return texts.published(published, version);
  };
  const load = async (file: File) => {
    change(await readArchive(new Uint8Array(await file.arrayBuffer())));
    return texts.imported(file.name);
  };
  return (
    <div class="titled page">
      <div>
        <h1>{lesson?.title ?? (name || texts.newLesson)}</h1>
        <p class="facts">
          <a href={name === "" ? "#/lessons" : `#/lessons/${name}`}>{name === "" ? texts.allLessons : texts.board}</a>
        </p>
      </div>
      <div class="actions">
        <button type="button" class="primary" disabled={!lesson} onClick={() => does(publish())}>
          {texts.publish}
        </button>
        <button type="button" disabled={!lesson} onClick={tryIt}>
          {texts.tryIt}
        </button>
        <ImportButton load={(file) => does(load(file))} />
        <button type="button" onClick={() => does(saveZip(lesson?.name ?? "lesson", files))}>
          {texts.export}
        </button>
        {name !== "" && <Versions api={api} name={name} open={(document) => change(writeLessonFolder(document))} />}
      </div>
    </div>
  );
}

function ImportButton({ load }: { readonly load: (file: File) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" onClick={() => input.current?.click()}>
        {texts.import}
      </button>
      <input
        ref={input}
        type="file"
        hidden
        aria-label={texts.import}
        accept=".zip,.tar,.tgz,.gz,application/zip,application/x-tar,application/gzip"
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? [];
          currentTarget.value = "";
          if (file) load(file);
        }}
      />
    </>
  );
}

function Problems({
  problems,
  goTo,
}: {
  readonly problems: readonly LessonProblem[];
  readonly goTo: (problem: LessonProblem) => void;
}) {
  return (
    <ul class="problems" role="status" aria-label={texts.problems}>
      {problems.map((problem) => (
        <li key={`${problem.file}:${problem.line}:${problem.column}:${problem.message}`}>
          <button type="button" class="quiet" onClick={() => goTo(problem)}>
            {problem.file}:{problem.line}:{problem.column}
          </button>{" "}
          {problem.message}
        </li>
      ))}
    </ul>
  );
}

/** Selects the rest of a line from a column on. */
function select(editor: HTMLTextAreaElement | null, line: number, column: number): void {
  if (!editor) return;
  const lines = editor.value.split("\n");
  const before = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0);
  editor.focus();
  editor.setSelectionRange(before + column - 1, before + (lines[line - 1] ?? "").length);
}

async function saveZip(name: string, files: Files): Promise<string> {
  const url = URL.createObjectURL(new Blob([writeZip(files)], { type: "application/zip" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = `${name}.zip`;
  link.click();
  // The browser needs the address until the file is saved.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
  return texts.exported(`${name}.zip`);
}
