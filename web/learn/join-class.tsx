// Where a class's link leads: the learner says their name, or goes on as whom this browser is known, and comes to the page of their run.
import { useEffect, useState } from "preact/hooks";
import type { ClassLook, Joined } from "../../shared/contract/hosted/class.ts";
import { asking, ControlFailure, messageOf, posting } from "../api/control.ts";
import { Alert } from "../parts/alert.tsx";
import { TextField } from "../parts/text-field.tsx";
import { messages } from "../messages/learn.ts";

const texts = messages.join;
/** What another tab is making is asked for again, so often and after so long. */
const attempts = 20;
const pauseMs = 1_500;
const ask = asking(undefined);

export function JoinClass({ token }: { readonly token: string }) {
  const [look, setLook] = useState<ClassLook>();
  const [failure, setFailure] = useState("");
  useEffect(() => {
    if (token === "") return;
    document.title = "Sandbar";
    lookAt(token).then(
      (found) => {
        setLook(found);
        document.title = `${found.lesson} · Sandbar`;
      },
      (error: unknown) => setFailure(wordsOf(error)),
    );
  }, [token]);
  if (token === "") return <Alert text={texts.noToken} />;
  if (!look) return failure ? <Alert text={failure} /> : <p class="empty">{messages.loading}</p>;
  return <Door token={token} look={look} />;
}

function Door({ token, look }: { readonly token: string; readonly look: ClassLook }) {
  const [known, setKnown] = useState(look.name);
  const [name, setName] = useState("");
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const enter = (event: SubmitEvent) => {
    event.preventDefault();
    setBusy(true);
    setFailure(undefined);
    join(token, known === undefined ? { name } : { learner: kept(token) }).then(
      (url) => location.assign(url),
      (error: unknown) => {
        setFailure(error);
        setBusy(false);
      },
    );
  };
  const ofName = failure instanceof ControlFailure && failure.field === "name" ? wordsOf(failure) : undefined;
  const button = known === undefined ? texts.begin : texts.goOn(known);
  return (
    <form class="card narrow" noValidate onSubmit={enter}>
      <div>
        <h1>{look.lesson}</h1>
        <p class="facts">
          <span>{look.title}</span>
          {known === undefined && <span>{texts.seatsLeft(look.seatsLeft)}</span>}
        </p>
      </div>
      {known === undefined && (
        <TextField label={texts.name} hint={texts.nameHint} value={name} change={setName} error={ofName} />
      )}
      <Alert text={failure !== undefined && ofName === undefined ? wordsOf(failure) : ""} />
      <p class="hint">{texts.kept}</p>
      <footer class="actions">
        <button type="submit" class="primary" disabled={busy || (known === undefined && name.trim() === "")}>
          <span aria-live="polite">{busy ? texts.beginning : button}</span>
        </button>
        {known !== undefined && !busy && (
          <button
            type="button"
            class="quiet"
            onClick={() => {
              setKnown(undefined);
              setFailure(undefined);
            }}
          >
            {texts.another}
          </button>
        )}
      </footer>
    </form>
  );
}

async function lookAt(token: string): Promise<ClassLook> {
  const learner = kept(token);
  const body = { class: token, ...(learner === "" ? {} : { learner }) };
  // The API answers what its contract says.
  return (await ask("/v1/classes/look", posting(body))).json() as Promise<ClassLook>;
}

/** The address of the learner's page. */
async function join(token: string, who: { readonly name: string } | { readonly learner: string }): Promise<string> {
  for (let left = attempts; ; left--) {
    try {
      const answer = await ask("/v1/classes/join", posting({ class: token, ...who }));
      // The API answers what its contract says.
      const { url, learner } = (await answer.json()) as Joined;
      keep(token, learner);
      return url;
    } catch (error) {
      if (left === 0 || !(error instanceof ControlFailure) || error.code !== "busy") throw error;
      await new Promise((done) => setTimeout(done, pauseMs));
    }
  }
}

/** By the class, which stands in its link's token. */
function storageName(token: string): string {
  return `sandbar.class.${token.split("_")[1] ?? ""}`;
}

/** Empty: this browser is nobody's, or keeps nothing. */
function kept(token: string): string {
  try {
    return localStorage.getItem(storageName(token)) ?? "";
  } catch {
    return "";
  }
}

function keep(token: string, learner: string): void {
  try {
    localStorage.setItem(storageName(token), learner);
  } catch {
    // Who comes back is somebody new then.
  }
}

const words: Readonly<Record<string, string>> = {
  not_found: texts.noClass,
  expired: texts.over,
  class_full: texts.full,
  name_taken: texts.taken,
  suspended: messages.suspended,
  busy: messages.busy,
  limit_reached: texts.unavailable,
  beyond_plan: texts.unavailable,
  too_many_runs: texts.unavailable,
};

function wordsOf(error: unknown): string {
  return (error instanceof ControlFailure && words[error.code]) || messageOf(error);
}
