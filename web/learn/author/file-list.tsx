// The files of a lesson's folder: open, add and delete them.
import { useState } from "preact/hooks";
import { lessonFile } from "../../../shared/lesson/read-folder.ts";
import { texts } from "../../messages/author.ts";
import type { Files } from "./draft.ts";

interface Props {
  readonly files: Files;
  readonly path: string;
  readonly open: (path: string) => void;
  readonly change: (files: Files) => void;
}

export function FileList({ files, path, open, change }: Props) {
  const [added, setAdded] = useState("");
  const add = () => {
    const name = added.trim();
    if (!isName(name)) return;
    if (!files.has(name)) change(new Map(files).set(name, ""));
    open(name);
    setAdded("");
  };
  const remove = () => {
    change(new Map([...files].filter(([name]) => name !== path)));
    open(lessonFile);
  };
  return (
    <div class="bar">
      <label class="filter">
        {texts.file}
        <select value={path} onChange={({ currentTarget }) => open(currentTarget.value)}>
          {[...files.keys()].sort().map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      {path !== lessonFile && (
        <button type="button" class="quiet danger" onClick={remove}>
          {texts.deleteFile}
        </button>
      )}
      <form
        class="pair"
        onSubmit={(event) => {
          event.preventDefault();
          add();
        }}
      >
        <input
          class="code"
          aria-label={texts.newFile}
          placeholder={texts.newFileExample}
          autoComplete="off"
          spellcheck={false}
          value={added}
          onInput={({ currentTarget }) => setAdded(currentTarget.value)}
        />
        <button type="submit" disabled={!isName(added.trim())}>
          {texts.addFile}
        </button>
      </form>
    </div>
  );
}

function isName(text: string): boolean {
  return /^[\w-][\w./-]*\.(md|ya?ml)$/.test(text) && !text.includes("..") && text.length <= 100;
}
