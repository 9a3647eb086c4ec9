// The published versions of a lesson: any of them opens in the editor, and publishing it makes the next one.
import { useCallback, useState } from "preact/hooks";
import type { Lesson } from "../../../shared/lesson/lesson.ts";
import { texts } from "../../messages/author.ts";
import { Age } from "../../parts/age.tsx";
import { Alert } from "../../parts/alert.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { useLoaded } from "../../parts/loaded.ts";
import type { LessonsApi } from "../board/lessons-api.ts";

interface Props {
  readonly api: LessonsApi;
  readonly name: string;
  readonly open: (lesson: Lesson) => void;
}

export function Versions({ api, name, open }: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        {texts.versions}
      </button>
      {isOpen && <VersionsDialog api={api} name={name} open={open} close={() => setOpen(false)} />}
    </>
  );
}

function VersionsDialog({ api, name, open, close }: Props & { readonly close: () => void }) {
  const read = useCallback(() => api.versions(name), [api, name]);
  const { value, failure, after } = useLoaded(read);
  const openVersion = async (version: number) => {
    const { lesson } = await api.lesson(name, version);
    open(lesson);
    close();
  };
  return (
    <Dialog title={texts.versions} close={close}>
      <div class="made">
        <Alert text={failure} />
        <ul class="class-links">
          {value?.versions.map(({ version, title, steps, createdAt }) => (
            <li key={version}>
              <p>
                <strong>{texts.version(version)}</strong> {title}, {texts.steps(steps)}, <Age time={createdAt} />{" "}
                {texts.ago}
              </p>
              <button type="button" class="quiet" onClick={() => after(openVersion(version))}>
                {texts.openVersion}
                <span class="unseen"> {texts.version(version)}</span>
              </button>
            </li>
          ))}
        </ul>
        <footer>
          <button type="button" onClick={close}>
            {texts.close}
          </button>
        </footer>
      </div>
    </Dialog>
  );
}
