// A teacher's actions for one learner, a class, or all: a message, extra time, and a pause.
import { useRef, useState } from "preact/hooks";
import { systemRandom } from "../../../shared/base/random.ts";
import type { Reached } from "../../../shared/contract/hosted/teaching.ts";
import { curlLine } from "../../api/lines.ts";
import { texts } from "../../messages/teaching.ts";
import { CommandLine } from "../../parts/command-line.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { Field } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { useSubmit } from "../../parts/submit.ts";
import { CountField } from "../../parts/text-field.tsx";
import { type LessonsApi, lessonPath } from "./lessons-api.ts";

/** The learners of an action, with their name for people. */
export interface Led {
  readonly run?: string;
  readonly class?: string;
  readonly title: string;
}

export type LeadAction = "message" | "time" | "pause" | "resume";

interface Props {
  readonly api: LessonsApi;
  readonly name: string;
  readonly led: Led;
  readonly action: LeadAction;
  /** Called with a sentence about the result, or an empty one if nothing was done. */
  readonly close: (notice: string) => void;
}

export function LeadDialog(props: Props) {
  switch (props.action) {
    case "message":
      return <MessageDialog {...props} />;
    case "time":
      return <TimeDialog {...props} />;
    case "pause":
    case "resume":
      return <PauseDialog {...props} />;
  }
}

function MessageDialog({ api, name, led, close }: Props) {
  const [text, setText] = useState("");
  const input = { ...whichOf(led), text };
  const form = useSubmit(async () => {
    close(texts.sent(await api.message(name, input)));
  }, ["text"]);
  return (
    <FormDialog
      title={texts.messageTo(led.title)}
      close={() => close("")}
      form={form}
      action={texts.send}
      doing={texts.sending}
    >
      <Field label={texts.text} hint={texts.textHint} error={form.errorOf("text")}>
        {(wiring) => (
          <textarea {...wiring} rows={3} value={text} onInput={({ currentTarget }) => setText(currentTarget.value)} />
        )}
      </Field>
      <CommandLine line={curlLine("POST", `${lessonPath(name)}/messages`, input)} />
    </FormDialog>
  );
}

const keyCharacters = 20;

function TimeDialog({ api, name, led, close }: Props) {
  const [minutes, setMinutes] = useState("10");
  // While the dialog is open, a repeated request reaches the runs that the first one did not.
  const [key, setKey] = useState(() => systemRandom.suffix(keyCharacters));
  const input = { ...whichOf(led), minutes: minutes.trim() === "" ? Number.NaN : Number(minutes) };
  const form = useSubmit(async () => {
    const done = await api.addTime(name, { ...input, key });
    if (done.failed.length > 0) throw new Error(texts.addAgain(done.failed.join(", ")));
    close(texts.added(done, input.minutes));
  }, ["minutes"]);
  const change = (text: string) => {
    setMinutes(text);
    // Other minutes are another addition.
    setKey(systemRandom.suffix(keyCharacters));
  };
  return (
    <FormDialog
      title={texts.timeFor(led.title)}
      close={() => close("")}
      form={form}
      action={texts.addTime}
      doing={texts.adding}
    >
      <CountField label={texts.minutes} hint={texts.minutesHint} {...form.bind("minutes", minutes, change)} />
      <CommandLine line={curlLine("POST", `${lessonPath(name)}/time`, input)} />
    </FormDialog>
  );
}

function PauseDialog({ api, name, led, action, close }: Props) {
  const paused = action === "pause";
  const input = { ...whichOf(led), paused };
  /** The result, which the dialog reads when it closes after the request. */
  const done = useRef<Reached>(undefined);
  return (
    <ConfirmDialog
      title={paused ? texts.pauseAsk(led.title) : texts.resumeAsk(led.title)}
      action={paused ? texts.pause : texts.resume}
      doing={paused ? texts.pausing : texts.resuming}
      line={curlLine("POST", `${lessonPath(name)}/pause`, input)}
      run={async () => {
        done.current = await api.pause(name, input);
      }}
      close={() => close(done.current ? texts.pausedNow(done.current, paused) : "")}
    >
      <p>{paused ? texts.pauseMeans : texts.resumeMeans}</p>
    </ConfirmDialog>
  );
}

function whichOf({ run, class: classId }: Led): { run?: string; class?: string } {
  return { ...(run === undefined ? {} : { run }), ...(classId === undefined ? {} : { class: classId }) };
}
