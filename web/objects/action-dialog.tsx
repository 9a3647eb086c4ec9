// The dialog of an action: its fields and the kubectl line. Running it shows the output of kubectl.
import { useState } from "preact/hooks";
import { useLive } from "../view/context.ts";
import { messages } from "../messages.ts";
import { FormDialog } from "../parts/form-dialog.tsx";
import { Field } from "../parts/field.tsx";
import { useSubmit } from "../parts/submit.ts";
import { CountField, TextField } from "../parts/text-field.tsx";
import type { Action, ActionField } from "./actions.ts";
import { Command } from "./command.tsx";
import { lineOf, runKubectl } from "./run.ts";
import { showOutput } from "./command-output.tsx";

interface Props {
  readonly action: Action;
  /** The object: `Deployment web`. */
  readonly subject: string;
  readonly close: () => void;
  readonly done: () => void;
}

export function ActionDialog({ action, subject, close, done }: Props) {
  const { cluster } = useLive();
  const [answers, setAnswers] = useState(action.asks.map(({ beginning }) => beginning));
  const words = action.words(answers);
  const line = lineOf(words);
  const form = useSubmit(async () => {
    const { code, out, err } = await runKubectl(cluster.access, words);
    if (code !== 0) throw new Error(err.trim() || messages.actions.endedWith(code));
    showOutput(line, out + err);
    close();
    done();
  }, []);
  const { title, button, doing, means } = messages.actions.of[action.id];
  const answer = (at: number, text: string) =>
    setAnswers(answers.map((previous, place) => (place === at ? text : previous)));
  return (
    <FormDialog
      title={title(subject)}
      close={close}
      form={form}
      action={button}
      doing={doing}
      {...(action.isDangerous ? { cancelLabel: messages.common.cancel } : {})}
    >
      {means && <p class="lead-in">{means}</p>}
      {action.asks.map((question, at) => (
        <Answer key={question.id} question={question} value={answers[at] ?? ""} change={(text) => answer(at, text)} />
      ))}
      <Command line={line} />
    </FormDialog>
  );
}

interface AnswerProps {
  readonly question: ActionField;
  readonly value: string;
  readonly change: (text: string) => void;
}

function Answer({ question: { id, among }, value, change }: AnswerProps) {
  const label = messages.actions.questions[id];
  if (id === "replicas") return <CountField label={label} value={value} change={change} />;
  if (!among) return <TextField label={label} value={value} change={change} />;
  return (
    <Field label={label}>
      {(wiring) => (
        <select {...wiring} value={value} onChange={({ currentTarget }) => change(currentTarget.value)}>
          {among.map((allowedValue) => (
            <option key={allowedValue}>{allowedValue}</option>
          ))}
        </select>
      )}
    </Field>
  );
}
