// The questions of a step: choices, orders, gaps and free texts, with the author's feedback about the last answer.
import { useId } from "preact/hooks";
import type { Run } from "../../shared/contract/lesson.ts";
import { messages } from "../messages/learn.ts";

const texts = messages.question;

export type Question = Run["page"]["questions"][number];
/** The answers by the names of questions. */
export type Answers = Readonly<Record<string, readonly string[]>>;

interface Props {
  readonly questions: readonly Question[];
  readonly answers: Answers;
  readonly change: (name: string, answer: readonly string[]) => void;
  /** True for a page that is read again. */
  readonly isOver: boolean;
}

/** Returns the stored answers of questions. */
export function storedAnswers(questions: readonly Question[]): Answers {
  return Object.fromEntries(questions.map(({ name, answer }) => [name, answer]));
}

/** Returns the answers that a check sends: those of open questions with any content. */
export function answersToSend(questions: readonly Question[], answers: Answers): Record<string, string[]> {
  const open = questions.flatMap(({ name, passed }): [string, string[]][] => {
    const answer = answers[name] ?? [];
    return passed || answer.every((text) => text.trim() === "") ? [] : [[name, [...answer]]];
  });
  return Object.fromEntries(open);
}

export function QuestionList({ questions, answers, change, isOver }: Props) {
  if (questions.length === 0) return null;
  return (
    <div class="questions">
      {questions.map((question) => (
        <OneQuestion
          key={question.name}
          question={question}
          answer={answers[question.name] ?? []}
          change={(answer) => change(question.name, answer)}
          isOver={isOver || question.passed}
        />
      ))}
    </div>
  );
}

interface OneProps {
  readonly question: Question;
  readonly answer: readonly string[];
  readonly change: (answer: readonly string[]) => void;
  /** True if the answer cannot be changed any more. */
  readonly isOver: boolean;
}

function OneQuestion({ question, answer, change, isOver }: OneProps) {
  const { name, kind, text, points, passed, tries, feedback } = question;
  const tone = passed ? "ok" : tries > 0 ? "bad" : "idle";
  const state = passed ? texts.right : tries > 0 ? texts.wrong(tries) : "";
  const Body = bodies[kind];
  return (
    <fieldset class={`question ${tone}`} disabled={isOver} data-question={name}>
      <legend>
        {kind === "fill" ? name : text}{" "}
        <span class="hint">
          {messages.points(points)}
          {state !== "" && `, ${state}`}
        </span>
      </legend>
      <Body question={question} answer={answer} change={change} isOver={isOver} />
      {feedback.map((line) => (
        <p key={line} class="tip">
          {line}
        </p>
      ))}
    </fieldset>
  );
}

function Choice({ question: { name, several = false, options = [] }, answer, change }: OneProps) {
  const group = useId();
  const toggle = (option: string, isChosen: boolean) => {
    if (!several) return change([option]);
    change(options.filter((candidate) => (candidate === option ? isChosen : answer.includes(candidate))));
  };
  return (
    <div class="options">
      {several && <p class="hint">{texts.several}</p>}
      {options.map((option) => (
        <label key={option} class="option">
          <input
            type={several ? "checkbox" : "radio"}
            name={`${group}-${name}`}
            checked={answer.includes(option)}
            onChange={({ currentTarget }) => toggle(option, currentTarget.checked)}
          />
          <span>{option}</span>
        </label>
      ))}
    </div>
  );
}

function Order({ question: { items = [] }, answer, change, isOver }: OneProps) {
  const ordered = answer.length === items.length ? answer : items;
  const move = (at: number, by: number) => {
    const next = [...ordered];
    const [item] = next.splice(at, 1);
    if (item !== undefined) next.splice(at + by, 0, item);
    change(next);
  };
  return (
    <ol class="order">
      {ordered.map((item, at) => (
        <li key={item}>
          <span>{item}</span>
          {!isOver && (
            <span class="actions">
              <Move label={texts.up(item)} text="↑" isOff={at === 0} press={() => move(at, -1)} />
              <Move label={texts.down(item)} text="↓" isOff={at === ordered.length - 1} press={() => move(at, 1)} />
            </span>
          )}
        </li>
      ))}
    </ol>
  );
}

interface MoveProps {
  readonly label: string;
  readonly text: string;
  readonly isOff: boolean;
  readonly press: () => void;
}

function Move({ label, text, isOff, press }: MoveProps) {
  return (
    <button
      type="button"
      class="quiet icon"
      aria-label={label}
      aria-disabled={isOff}
      onClick={() => {
        if (!isOff) press();
      }}
    >
      {text}
    </button>
  );
}

function Fill({ question: { text }, answer, change }: OneProps) {
  const segments = text.split(/_{3,}/);
  const set = (at: number, value: string) =>
    change(segments.slice(1).map((_, gap) => (gap === at ? value : (answer[gap] ?? ""))));
  return (
    <p class="gaps">
      {segments.map((segment, at) => (
        <span key={at}>
          {at > 0 && (
            <input
              class="code"
              aria-label={texts.gap(at)}
              autoComplete="off"
              spellcheck={false}
              value={answer[at - 1] ?? ""}
              onInput={({ currentTarget }) => set(at - 1, currentTarget.value)}
            />
          )}
          {segment}
        </span>
      ))}
    </p>
  );
}

function FreeText({ question: { text }, answer, change }: OneProps) {
  return (
    <textarea
      rows={2}
      aria-label={`${text} ${messages.answer}`}
      value={answer[0] ?? ""}
      onInput={({ currentTarget }) => change([currentTarget.value])}
    />
  );
}

const bodies = { choice: Choice, order: Order, fill: Fill, text: FreeText } as const;
