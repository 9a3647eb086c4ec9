// A step as its learners see it, with what they see later: hints, feedback and the solution.
import { useState } from "preact/hooks";
import { type Lesson, pointsOf, type Step } from "../../../shared/lesson/lesson.ts";
import { showQuestion } from "../../../shared/lesson/questions.ts";
import { texts } from "../../messages/author.ts";
import { messages } from "../../messages/learn.ts";
import { PageText } from "../page-text.tsx";
import { type Answers, QuestionList } from "../question-list.tsx";

export function Preview({ lesson }: { readonly lesson: Lesson }) {
  const [chosen, choose] = useState(0);
  const at = Math.min(chosen, lesson.steps.length - 1);
  const step = lesson.steps[at];
  if (!step) return null;
  return (
    <>
      <label class="filter">
        {texts.step}
        <select value={at} onChange={({ currentTarget }) => choose(Number(currentTarget.value))}>
          {lesson.steps.map(({ title }, number) => (
            <option key={number} value={number}>
              {number + 1}. {title}
            </option>
          ))}
        </select>
      </label>
      <PageText text={step.text} />
      <StepPreview key={at} step={step} />
    </>
  );
}

function StepPreview({ step }: { readonly step: Step }) {
  const [answers, setAnswers] = useState<Answers>({});
  const { checks, questions = [], hints = [], solutionAfter } = step;
  return (
    <>
      <div class="checks">
        <h2>
          {messages.checks} <span class="hint">{messages.points(pointsOf(step))}</span>
        </h2>
        <ul>
          {checks.map(({ name, points, hint }) => (
            <li key={name} class="idle">
              <span class="lamp" aria-hidden="true" />
              <div>
                <span class="name">{name}</span> <span class="hint">{messages.points(points)}</span>
                {hint !== "" && <p class="tip">{texts.onFailure(hint)}</p>}
              </div>
            </li>
          ))}
        </ul>
      </div>
      <QuestionList
        questions={questions.map((question) => showQuestion(question, undefined, "preview"))}
        answers={answers}
        change={(name, answer) => setAnswers((before) => ({ ...before, [name]: answer }))}
        isOver={false}
      />
      {hints.length > 0 && (
        <ol class="hints">
          {hints.map(({ text, price }, at) => (
            <li key={at}>
              <strong>{messages.help.hintOf(at + 1)}</strong> <span class="hint">{messages.points(price)}</span>
              <PageText text={text} />
            </li>
          ))}
        </ol>
      )}
      {solutionAfter !== undefined && <p class="hint">{messages.help.solutionAfter(solutionAfter)}</p>}
    </>
  );
}
