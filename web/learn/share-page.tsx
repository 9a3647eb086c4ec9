// The page of a shared state: a person with the link opens a copy, and works in it until its time is up.
import { useEffect, useMemo, useState } from "preact/hooks";
import type { OpenedShare, ShareLook } from "../../shared/contract/hosted/share.ts";
import { asking, posting } from "../api/control.ts";
import { ControlFailure, messageOf } from "../api/control-failure.ts";
import { messages } from "../messages/learn.ts";
import { TimeLeft } from "../parts/age.tsx";
import { Alert } from "../parts/alert.tsx";
import { Loading } from "../parts/loading.tsx";
import { nowMs } from "../parts/now.ts";
import { Panes } from "./panes.tsx";

const texts = messages.share;
const ask = asking(undefined);

export function SharePage({ token }: { readonly token: string }) {
  const [look, setLook] = useState<ShareLook>();
  const [opened, setOpened] = useState<OpenedShare | undefined>(() => storedCopy(token));
  const [failure, setFailure] = useState("");
  useEffect(() => {
    if (token === "") return;
    // The response conforms to the contract of the API.
    const read = async () => (await (await ask("/v1/shares/look", posting({ share: token }))).json()) as ShareLook;
    read().then(
      (facts) => {
        setLook(facts);
        document.title = `${facts.title} · Sandbar`;
      },
      (error: unknown) => setFailure(wordsOf(error)),
    );
  }, [token]);
  if (token === "") return <Alert text={messages.noToken} />;
  if (opened) return <Copy opened={opened} title={look?.title ?? ""} again={() => setOpened(undefined)} />;
  if (!look) return failure ? <Alert text={failure} /> : <Loading />;
  return <Door token={token} look={look} opened={setOpened} />;
}

interface DoorProps {
  readonly token: string;
  readonly look: ShareLook;
  readonly opened: (copy: OpenedShare) => void;
}

function Door({ token, look: { title, forksLeft, forkTtlSeconds }, opened }: DoorProps) {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState("");
  const open = async () => {
    setBusy(true);
    setFailure("");
    try {
      // The response conforms to the contract of the API.
      const copy = (await (await ask("/v1/shares/open", posting({ share: token }))).json()) as OpenedShare;
      keepCopy(token, copy);
      opened(copy);
    } catch (error) {
      setFailure(wordsOf(error));
      setBusy(false);
    }
  };
  return (
    <div class="card narrow">
      <div>
        <h1>{title}</h1>
        <p class="facts">
          <span>{texts.left(forksLeft)}</span>
        </p>
      </div>
      <p>{texts.means(Math.round(forkTtlSeconds / 60))}</p>
      <Alert text={failure} />
      <footer class="actions">
        <button type="button" class="primary" disabled={busy} onClick={() => void open()}>
          <span aria-live="polite">{busy ? texts.opening : texts.open}</span>
        </button>
      </footer>
    </div>
  );
}

interface CopyProps {
  readonly opened: OpenedShare;
  readonly title: string;
  readonly again: () => void;
}

function Copy({ opened, title, again }: CopyProps) {
  const { sandbox, expiresAt } = opened;
  const api = useMemo(() => ({ access: () => Promise.resolve(opened), record: () => Promise.resolve() }), [opened]);
  const run = useMemo(() => ({ sandbox, lesson: "shared", run: sandbox.id, version: 1 }), [sandbox]);
  const isOver = Date.parse(expiresAt) <= nowMs.value;
  return (
    <div class="lesson shared">
      <header class="lesson-head">
        <h1>{title}</h1>
        <p class="facts">
          <span>
            {messages.timeLeft}: <TimeLeft time={expiresAt} />
          </span>
          <button type="button" class="quiet" onClick={again}>
            {texts.another}
          </button>
        </p>
      </header>
      {isOver ? (
        <Alert text={texts.over} />
      ) : (
        <Panes api={api} run={run} onTerminalsChange={ignore} onCommand={ignore} />
      )}
    </div>
  );
}

function ignore(): void {
  // Nothing follows the terminal of a copy.
}

function storageName(token: string): string {
  return `sandbar.share.${token.split("_")[1] ?? ""}`;
}

/** Returns the copy that this browser opened, if it lives. */
function storedCopy(token: string): OpenedShare | undefined {
  try {
    // This page wrote it.
    const copy = JSON.parse(localStorage.getItem(storageName(token)) ?? "null") as OpenedShare | null;
    return copy && Date.parse(copy.expiresAt) > Date.now() ? copy : undefined;
  } catch {
    return undefined;
  }
}

function keepCopy(token: string, copy: OpenedShare): void {
  try {
    localStorage.setItem(storageName(token), JSON.stringify(copy));
  } catch {
    // Without storage, a reloaded page offers another copy.
  }
}

function wordsOf(error: unknown): string {
  return (error instanceof ControlFailure && texts.refusals[error.code]) || messageOf(error);
}
