// The page of a class link: the learner enters a name, or continues as the learner known to this browser, and opens their run.
import { useEffect, useState } from "preact/hooks";
import type { ClassLook, Joined } from "../../shared/contract/hosted/class.ts";
import { asking, posting } from "../api/control.ts";
import { ControlFailure, messageOf } from "../api/control-failure.ts";
import { Alert } from "../parts/alert.tsx";
import { Field } from "../parts/field.tsx";
import { Loading } from "../parts/loading.tsx";
import { TextField } from "../parts/text-field.tsx";
import { messages } from "../messages/learn.ts";

const texts = messages.join;
/** How often, and at which interval, a join that another tab has started is retried. */
const attempts = 20;
const pauseMs = 1_500;
const ask = asking(undefined);

/** `secret` is the token of the class; on a learner's own link the token of the seat follows after a full stop. */
export function JoinClass({ token: secret }: { readonly token: string }) {
  const [token = "", ownSeat] = secret.split(".");
  const [look, setLook] = useState<ClassLook>();
  const [failure, setFailure] = useState("");
  useEffect(() => {
    if (token === "") return;
    document.title = "Sandbar";
    if (ownSeat !== undefined) keep(token, ownSeat);
    lookAt(token).then(
      (loadedClass) => {
        setLook(loadedClass);
        document.title = `${loadedClass.lesson} · Sandbar`;
      },
      (error: unknown) => setFailure(wordsOf(error)),
    );
  }, [token, ownSeat]);
  if (token === "") return <Alert text={texts.noToken} />;
  if (!look) return failure ? <Alert text={failure} /> : <Loading />;
  return <Door token={token} look={look} />;
}

function Door({ token, look }: { readonly token: string; readonly look: ClassLook }) {
  const [knownName, setKnown] = useState(look.name);
  const [name, setName] = useState("");
  const [team, setTeam] = useState("");
  const hasTeams = look.teamSize > 1 && knownName === undefined;
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const enter = (event: SubmitEvent) => {
    event.preventDefault();
    setBusy(true);
    setFailure(undefined);
    const newLearner = { name, ...(hasTeams ? { team } : {}) };
    join(token, knownName === undefined ? newLearner : { learner: storedLearner(token) }).then(
      (url) => location.assign(url),
      (error: unknown) => {
        setFailure(error);
        setBusy(false);
      },
    );
  };
  const ofName = failure instanceof ControlFailure && failure.field === "name" ? wordsOf(failure) : undefined;
  const isShut = look.listedOnly && knownName === undefined;
  const isMissing = knownName === undefined && (isShut || name.trim() === "" || (hasTeams && team.trim() === ""));
  const button = knownName === undefined ? texts.begin : texts.goOn(knownName);
  return (
    <form class="card narrow" noValidate onSubmit={enter}>
      <div>
        <h1>{look.lesson}</h1>
        <p class="facts">
          <span>{look.title}</span>
          {knownName === undefined && <span>{texts.seatsLeft(look.seatsLeft)}</span>}
          {look.deadline !== undefined && (
            <span>
              {texts.deadline} <time dateTime={look.deadline}>{new Date(look.deadline).toLocaleString()}</time>
            </span>
          )}
        </p>
      </div>
      {isShut && <p class="notice">{texts.listedOnly}</p>}
      {hasTeams && <TeamField look={look} team={team} change={setTeam} />}
      {knownName === undefined && !isShut && (
        <TextField label={texts.name} hint={texts.nameHint} value={name} change={setName} error={ofName} />
      )}
      <Alert text={failure !== undefined && ofName === undefined ? wordsOf(failure) : ""} />
      <p class="hint">{texts.kept}</p>
      <footer class="actions">
        <button type="submit" class="primary" disabled={busy || isMissing}>
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

interface TeamProps {
  readonly look: ClassLook;
  readonly team: string;
  readonly change: (team: string) => void;
}

function TeamField({ look: { teams, teamSize }, team, change }: TeamProps) {
  return (
    <Field label={texts.team} hint={texts.teamHint(teamSize)}>
      {(wiring) => (
        <>
          <input {...wiring} value={team} onInput={({ currentTarget }) => change(currentTarget.value)} />
          <span class="actions">
            {teams.map(({ name, members }) => (
              <button key={name} type="button" class="quiet" aria-pressed={team === name} onClick={() => change(name)}>
                {name} ({members}/{teamSize})
              </button>
            ))}
          </span>
        </>
      )}
    </Field>
  );
}

async function lookAt(token: string): Promise<ClassLook> {
  const learner = storedLearner(token);
  const body = { class: token, ...(learner === "" ? {} : { learner }) };
  // The response conforms to the contract of the API.
  return (await ask("/v1/classes/look", posting(body))).json() as Promise<ClassLook>;
}

/** Returns the address of the learner's page. */
async function join(
  token: string,
  who: { readonly name: string; readonly team?: string } | { readonly learner: string },
): Promise<string> {
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
  not_invited: texts.listedOnly,
  paused: texts.classPaused,
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
