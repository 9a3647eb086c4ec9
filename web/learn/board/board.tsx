// The board of a lesson: the step, time and points of each learner. Learners who are stuck come first.
import { useCallback, useEffect, useState } from "preact/hooks";
import type { LessonWithDocument, Result } from "../../../shared/contract/lesson.ts";
import { type Control, messageOf } from "../../api/control.ts";
import { may } from "../../api/session.ts";
import { Alert } from "../../parts/alert.tsx";
import { nowMs } from "../../parts/now.ts";
import { SaveButton } from "../../parts/save-button.tsx";
import { texts } from "../../messages/classes.ts";
import { AddLearners } from "./add-learners.tsx";
import { ClassLinks } from "./class-links.tsx";
import { LearnerDetail } from "./learner-detail.tsx";
import { LearnerTable } from "./learner-table.tsx";
import { type LessonsApi, mostShown } from "./lessons-api.ts";
import { ResetAll } from "./reset-all.tsx";
import { inOrder, type Order, orders, totalsOf } from "./standing.ts";
import { texts as all } from "../../messages/board.ts";

const words = all.board;

interface Props {
  readonly control: Control;
  readonly api: LessonsApi;
  readonly name: string;
}

const pollMs = 5_000;
const orderTexts = { help: words.byNeedOfHelp, learner: words.byName, points: words.byPoints } as const;

export function Board({ control, api, name }: Props) {
  const { lesson, results, isAll, failure, read } = useBoard(api, name);
  const [openDialog, ask] = useState<"add" | "links" | "reset">();
  const [order, setOrder] = useState<Order>("help");
  const [onlyRunning, setOnlyRunning] = useState(false);
  const [opened, open] = useState("");
  const now = nowMs.value;
  const visibleResults = inOrder(results ?? [], order, now).filter(({ state }) => !onlyRunning || state === "running");
  const chosen = results?.find(({ run }) => run === opened);
  const close = () => {
    ask(undefined);
    read();
  };
  return (
    <div class="board">
      <Head
        api={api}
        name={name}
        lesson={lesson}
        canReset={(results?.length ?? 0) > 0}
        add={() => ask("add")}
        links={() => ask("links")}
        reset={() => ask("reset")}
      />
      <Alert text={failure} />
      {results && <TotalsOf results={results} now={now} />}
      {results?.length === 0 && <p class="panel empty">{words.none}</p>}
      {results && results.length > 0 && (
        <>
          <Bar
            order={order}
            setOrder={setOrder}
            onlyRunning={onlyRunning}
            setOnlyRunning={setOnlyRunning}
            isAll={isAll}
          />
          <LearnerTable
            api={api}
            lesson={lesson}
            results={visibleResults}
            now={now}
            opened={opened}
            open={(run) => open(run === opened ? "" : run)}
            changed={read}
          />
        </>
      )}
      {chosen && <LearnerDetail key={chosen.run} control={control} api={api} result={chosen} close={() => open("")} />}
      {openDialog === "add" && <AddLearners api={api} name={name} close={close} />}
      {openDialog === "links" && <ClassLinks api={api} name={name} close={close} />}
      {openDialog === "reset" && <ResetAll api={api} name={name} results={results ?? []} close={close} />}
    </div>
  );
}

interface HeadProps {
  readonly api: LessonsApi;
  readonly name: string;
  readonly lesson: LessonWithDocument | undefined;
  readonly canReset: boolean;
  readonly add: () => void;
  readonly links: () => void;
  readonly reset: () => void;
}

function Head({ api, name, lesson, canReset, add, links, reset }: HeadProps) {
  return (
    <div class="titled page">
      <div>
        <h1>{lesson?.title ?? name}</h1>
        <p class="facts">
          <a href="#/lessons">{words.allLessons}</a>
          {lesson && <span>{words.lessonFacts(lesson.version, lesson.steps, lesson.points)}</span>}
        </p>
      </div>
      <div class="actions">
        {may("lessons:write") && (
          <>
            <button type="button" class="primary" onClick={links}>
              {texts.open}
            </button>
            <button type="button" onClick={add}>
              {words.addLearners}
            </button>
          </>
        )}
        <SaveButton label={words.resultsAsCsv} text={() => api.resultsAsCsv(name)} file={`${name}.csv`} />
        <SaveButton label={words.resultsAsJson} text={() => api.resultsAsJson(name)} file={`${name}.json`} />
        {may("lessons:write") && canReset && (
          <button type="button" class="danger" onClick={reset}>
            {words.resetAll}
          </button>
        )}
      </div>
    </div>
  );
}

interface BarProps {
  readonly order: Order;
  readonly setOrder: (order: Order) => void;
  readonly onlyRunning: boolean;
  readonly setOnlyRunning: (only: boolean) => void;
  readonly isAll: boolean;
}

function Bar({ order, setOrder, onlyRunning, setOnlyRunning, isAll }: BarProps) {
  return (
    <div class="bar">
      <label class="filter">
        {words.orderBy}
        <select value={order} onChange={({ currentTarget }) => setOrder(orderOf(currentTarget.value))}>
          {orders.map((orderName) => (
            <option key={orderName} value={orderName}>
              {orderTexts[orderName]}
            </option>
          ))}
        </select>
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={onlyRunning}
          onChange={({ currentTarget }) => setOnlyRunning(currentTarget.checked)}
        />{" "}
        {words.onlyAtWork}
      </label>
      {!isAll && <span class="hint">{words.onlyNewest(mostShown)}</span>}
    </div>
  );
}

function TotalsOf({ results, now }: { readonly results: readonly Result[]; readonly now: number }) {
  const { running, stuck, finished, percent } = totalsOf(results, now);
  const all = {
    [words.atWork]: running,
    [words.stuck]: stuck,
    [words.finished]: finished,
    [words.points]: percent === undefined ? "–" : `${percent} %`,
  };
  return (
    <dl class="totals">
      {Object.entries(all).map(([title, value]) => (
        <div key={title}>
          <dt>{title}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function orderOf(text: string): Order {
  return orders.find((orderName) => orderName === text) ?? "help";
}

interface BoardState {
  readonly lesson: LessonWithDocument | undefined;
  readonly results: readonly Result[] | undefined;
  readonly isAll: boolean;
  readonly failure: string;
  readonly read: () => void;
}

/** Reads the board every few seconds while the page is visible. */
function useBoard(api: LessonsApi, name: string): BoardState {
  const [lesson, setLesson] = useState<LessonWithDocument>();
  const [board, setFound] = useState<Awaited<ReturnType<LessonsApi["results"]>>>();
  const [failure, setFailure] = useState("");
  const load = useCallback(
    () =>
      api.results(name).then(
        (now) => {
          setFound(now);
          setFailure("");
        },
        (error: unknown) => setFailure(messageOf(error)),
      ),
    [api, name],
  );
  useEffect(() => {
    api.lesson(name).then(
      (loadedLesson) => {
        setLesson(loadedLesson);
        document.title = `${loadedLesson.title} · Sandbar`;
      },
      (error: unknown) => setFailure(messageOf(error)),
    );
  }, [api, name]);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let left = false;
    const round = async () => {
      if (!document.hidden) await load();
      if (!left) timer = setTimeout(() => void round(), pollMs);
    };
    void round();
    return () => {
      left = true;
      clearTimeout(timer);
    };
  }, [load]);
  return { lesson, results: board?.results, isAll: board?.isAll ?? true, failure, read: () => void load() };
}
