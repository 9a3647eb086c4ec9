// A lesson in a frame: the page of the step that the visitor is at, its question, and the check.
import { useState } from "preact/hooks";
import { messageOf } from "../../api/control-failure.ts";
import { Alert } from "../../parts/alert.tsx";
import type { FrameState } from "../frame/model.ts";
import { CheckPane } from "./check.tsx";
import { Markdown } from "./markdown.tsx";

export function LessonPane({ frame }: { readonly frame: FrameState }) {
  const words = frame.words.value;
  const run = frame.run.value;
  const [failure, setFailure] = useState("");
  if (!run) return null;
  const { page, step } = run;
  const reset = () => {
    setFailure("");
    frame.reset().catch((error: unknown) => setFailure(messageOf(error)));
  };
  return (
    <article class="lesson">
      <ol class="steps" aria-label={run.title}>
        {run.steps.map(({ title, state }, at) => (
          <li key={title} class={state} title={title} aria-current={at + 1 === step ? "step" : undefined}>
            {at + 1}
          </li>
        ))}
      </ol>
      <Markdown text={page.text} />
      {page.question !== undefined && <Question key={step} frame={frame} question={page.question} />}
      <CheckPane frame={frame} />
      <button type="button" class="quiet" onClick={reset}>
        {words.reset}
      </button>
      <Alert text={failure} />
    </article>
  );
}

function Question({ frame, question }: { readonly frame: FrameState; readonly question: string }) {
  const words = frame.words.value;
  const [text, setText] = useState(frame.run.value?.page.answer ?? "");
  const [failure, setFailure] = useState("");
  const send = (event: SubmitEvent) => {
    event.preventDefault();
    setFailure("");
    frame.answer(text).catch((error: unknown) => setFailure(messageOf(error)));
  };
  return (
    <form onSubmit={send}>
      <label class="field">
        {question}
        <input value={text} aria-label={words.answer} onInput={({ currentTarget }) => setText(currentTarget.value)} />
      </label>
      <footer>
        <button type="submit">{words.send}</button>
      </footer>
      <Alert text={failure} />
    </form>
  );
}
