// The board of a lesson: the step, time and points of each learner. Learners who are stuck come first.
import { useCallback, useEffect, useState } from "preact/hooks";
import type { LessonClass } from "../../../shared/contract/hosted/class.ts";
import type { LessonWithDocument, Result } from "../../../shared/contract/lesson.ts";
import { type Control } from "../../api/control.ts";
import { messageOf } from "../../api/control-failure.ts";
import { may } from "../../api/session.ts";
import { Alert } from "../../parts/alert.tsx";
import { nowMs } from "../../parts/now.ts";
import { SaveButton } from "../../parts/save-button.tsx";
import { texts } from "../../messages/classes.ts";
import { AddLearners } from "./add-learners.tsx";
import { texts as author } from "../../messages/author.ts";
import { texts as leading } from "../../messages/teaching.ts";
import { ClassLinks } from "./class-links.tsx";
import { ComparisonDialog } from "./comparison-dialog.tsx";
import { type LeadAction, LeadDialog } from "./lead-dialogs.tsx";
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
  const [classId, setClassId] = useState("");
  const { lesson, results, classes, isAll, failure, read } = useBoard(api, name, classId);
  const [openDialog, ask] = useState<BoardAction>();
  const [notice, say] = useState("");
  const chosenClass = classes.find(({ id }) => id === classId);
  const [opened, open] = useState("");
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
        classId={classId}
        canReset={(results?.length ?? 0) > 0}
        add={() => ask("add")}
        links={() => ask("links")}
        reset={() => ask("reset")}
      />
      <Alert text={failure} />
      <p class="said" role="status">
        {notice}
      </p>
      {results && results.length > 0 && (
        <LeadBar
          classes={classes}
          classId={classId}
          choose={setClassId}
          isPaused={results.some(({ paused }) => paused)}
          ask={ask}
        />
      )}
      {results && <TotalsOf results={results} now={nowMs.value} />}
      {results?.length === 0 && <p class="panel empty">{words.none}</p>}
      {results && results.length > 0 && (
        <Learners
          api={api}
          lesson={lesson}
          results={results}
          isAll={isAll}
          opened={opened}
          open={open}
          read={read}
          notify={say}
        />
      )}
      {chosen && <LearnerDetail key={chosen.run} control={control} api={api} result={chosen} close={() => open("")} />}
      {openDialog && (
        <BoardDialog
          what={openDialog}
          api={api}
          name={name}
          results={results ?? []}
          chosenClass={chosenClass}
          close={(notice) => {
            if (notice !== undefined) say(notice);
            close();
          }}
        />
      )}
    </div>
  );
}

interface LearnersProps {
  readonly api: LessonsApi;
  readonly lesson: LessonWithDocument | undefined;
  readonly results: readonly Result[];
  readonly isAll: boolean;
  /** The id of the watched run. */
  readonly opened: string;
  readonly open: (run: string) => void;
  readonly read: () => void;
  readonly notify: (text: string) => void;
}

function Learners({ api, lesson, results, isAll, opened, open, read, notify }: LearnersProps) {
  const [order, setOrder] = useState<Order>("help");
  const [onlyRunning, setOnlyRunning] = useState(false);
  const now = nowMs.value;
  const visibleResults = inOrder(results, order, now).filter(({ state }) => !onlyRunning || state === "running");
  return (
    <>
      <Bar order={order} setOrder={setOrder} onlyRunning={onlyRunning} setOnlyRunning={setOnlyRunning} isAll={isAll} />
      <LearnerTable
        api={api}
        lesson={lesson}
        results={visibleResults}
        now={now}
        opened={opened}
        open={(run) => open(run === opened ? "" : run)}
        changed={read}
        notify={notify}
      />
    </>
  );
}

type BoardAction = "add" | "links" | "reset" | "compare" | LeadAction;

interface BoardDialogProps {
  readonly what: BoardAction;
  readonly api: LessonsApi;
  readonly name: string;
  readonly results: readonly Result[];
  readonly chosenClass: LessonClass | undefined;
  readonly close: (notice?: string) => void;
}

function BoardDialog({ what, api, name, results, chosenClass, close }: BoardDialogProps) {
  switch (what) {
    case "add":
      return <AddLearners api={api} name={name} close={() => close()} />;
    case "links":
      return <ClassLinks api={api} name={name} close={() => close()} />;
    case "reset":
      return <ResetAll api={api} name={name} results={results} close={() => close()} />;
    case "compare":
      return <ComparisonDialog api={api} name={name} classId={chosenClass?.id ?? ""} close={() => close()} />;
    default: {
      const led = chosenClass ? { class: chosenClass.id, title: chosenClass.title } : { title: leading.everybody };
      return <LeadDialog api={api} name={name} led={led} action={what} close={close} />;
    }
  }
}

interface HeadProps {
  readonly api: LessonsApi;
  readonly name: string;
  readonly lesson: LessonWithDocument | undefined;
  readonly canReset: boolean;
  readonly classId: string;
  readonly add: () => void;
  readonly links: () => void;
  readonly reset: () => void;
}

function Head({ api, name, lesson, classId, canReset, add, links, reset }: HeadProps) {
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
            <a class="button" href={`#/lessons/${name}/edit`}>
              {author.edit}
            </a>
          </>
        )}
        <SaveButton label={words.resultsAsCsv} text={() => api.resultsAsCsv(name, classId)} file={`${name}.csv`} />
        <SaveButton label={words.resultsAsJson} text={() => api.resultsAsJson(name, classId)} file={`${name}.json`} />
        <SaveButton label={leading.xapi} text={() => api.resultsAsXapi(name, classId)} file={`${name}.xapi.json`} />
        {may("lessons:write") && canReset && (
          <button type="button" class="danger" onClick={reset}>
            {words.resetAll}
          </button>
        )}
      </div>
    </div>
  );
}

interface LeadBarProps {
  readonly classes: readonly LessonClass[];
  readonly classId: string;
  readonly choose: (classId: string) => void;
  /** True if any run is paused. */
  readonly isPaused: boolean;
  readonly ask: (what: LeadAction | "compare") => void;
}

/** Chooses a class, and what is done for it. */
function LeadBar({ classes, classId, choose, isPaused, ask }: LeadBarProps) {
  return (
    <div class="bar lead">
      {classes.length > 0 && (
        <label class="filter">
          {leading.class}
          <select value={classId} onChange={({ currentTarget }) => choose(currentTarget.value)}>
            <option value="">{leading.allClasses}</option>
            {classes.map(({ id, title }) => (
              <option key={id} value={id}>
                {title}
              </option>
            ))}
          </select>
        </label>
      )}
      {may("lessons:write") &&
        (["message", "time", isPaused ? "resume" : "pause"] as const).map((action) => (
          <button key={action} type="button" onClick={() => ask(action)}>
            {leading[action]}
          </button>
        ))}
      <button type="button" onClick={() => ask("compare")}>
        {leading.compare}
      </button>
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
  readonly classes: readonly LessonClass[];
  readonly isAll: boolean;
  readonly failure: string;
  readonly read: () => void;
}

/** Reads the board every few seconds while the page is visible. */
function useBoard(api: LessonsApi, name: string, classId: string): BoardState {
  const [lesson, setLesson] = useState<LessonWithDocument>();
  const [board, setFound] = useState<Awaited<ReturnType<LessonsApi["results"]>>>();
  const [classes, setClasses] = useState<readonly LessonClass[]>([]);
  const [failure, setFailure] = useState("");
  const load = useCallback(async () => {
    try {
      setFound(await api.results(name, classId));
      // The links of classes authenticate learners, so only those who may write see them.
      if (may("lessons:write")) setClasses((await api.classes(name)).classes);
      setFailure("");
    } catch (error) {
      setFailure(messageOf(error));
    }
  }, [api, name, classId]);
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
  return { lesson, results: board?.results, classes, isAll: board?.isAll ?? true, failure, read: () => void load() };
}
