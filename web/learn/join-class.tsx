// The page of a class link: the learner enters a name, or continues as the learner known to this browser, and opens their run.
import { useEffect, useState } from "preact/hooks";
import type { ClassLook, Joined } from "../../shared/contract/hosted/class.ts";
import { asking, ControlFailure, messageOf, posting } from "../api/control.ts";
import { Alert } from "../parts/alert.tsx";
import { TextField } from "../parts/text-field.tsx";
import { messages } from "../messages/learn.ts";

const texts = messages.join;
/** How often, and at which interval, a join that another tab has started is retried. */
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
      (loadedClass) => {
        setLook(loadedClass);
        document.title = `${loadedClass.lesson} · Sandbar`;
      },
      (error: unknown) => setFailure(wordsOf(error)),
    );
  }, [token]);
  if (token === "") return <Alert text={texts.noToken} />;
  if (!look) return failure ? <Alert text={failure} /> : <p class="empty">{messages.loading}</p>;
  return <Door token={token} look={look} />;
}

function Door({ token, look }: { readonly token: string; readonly look: ClassLook }) {
  const [knownName, setKnown] = useState(look.name);
  const [name, setName] = useState("");
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const enter = (event: SubmitEvent) => {
    event.preventDefault();
    setBusy(true);
    setFailure(undefined);
    join(token, knownName === undefined ? { name } : { learner: storedLearner(token) }).then(
      (url) => location.assign(url),
      (error: unknown) => {
        setFailure(error);
        setBusy(false);
      },
    );
  };
  const ofName = failure instanceof ControlFailure && failure.field === "name" ? wordsOf(failure) : undefined;
  const button = knownName === undefined ? texts.begin : texts.goOn(knownName);
  return (
    <form class="card narrow" noValidate onSubmit={enter}>
      <div>
        <h1>{look.lesson}</h1>
        <p class="facts">
          <span>{look.title}</span>
          {knownName === undefined && <span>{texts.seatsLeft(look.seatsLeft)}</span>}
        </p>
      </div>
      {knownName === undefined && (
        <TextField label={texts.name} hint={texts.nameHint} value={name} change={setName} error={ofName} />
      )}
      <Alert text={failure !== undefined && ofName === undefined ? wordsOf(failure) : ""} />
      <p class="hint">{texts.kept}</p>
      <footer class="actions">
        <button type="submit" class="primary" disabled={busy || (knownName === undefined && name.trim() === "")}>
          <span aria-live="polite">{busy ? texts.beginning : button}</span>
        </button>
        {knownName !== undefined && !busy && (
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
  const learner = storedLearner(token);
  const body = { class: token, ...(learner === "" ? {} : { learner }) };
  // The response conforms to the contract of the API.
  return (await ask("/v1/classes/look", posting(body))).json() as Promise<ClassLook>;
}

/** Returns the address of the learner's page. */
async function join(token: string, who: { readonly name: string } | { readonly learner: string }): Promise<string> {
  for (let left = attempts; ; left--) {
    try {
      const answer = await ask("/v1/classes/join", posting({ class: token, ...who }));
      // The response conforms to the contract of the API.
      const { url, learner } = (await answer.json()) as Joined;
      keep(token, learner);
      return url;
    } catch (error) {
      if (left === 0 || !(error instanceof ControlFailure) || error.code !== "busy") throw error;
      await new Promise((done) => setTimeout(done, pauseMs));
    }
  }
}

/** Returns the storage key of the class in the link's token. */
function storageName(token: string): string {
  return `sandbar.class.${token.split("_")[1] ?? ""}`;
}

/** Returns the stored learner, or an empty string if there is none. */
function storedLearner(token: string): string {
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
    // Without storage, a returning learner is a new one.
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
