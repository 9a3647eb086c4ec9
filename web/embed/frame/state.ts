// The state of one frame: the visitor, the sandbox, and the communication with the surrounding page.
import { effect, signal } from "@preact/signals";
import { systemClock } from "../../../shared/base/clock.ts";
import type { EmbedEvent } from "../../../shared/contract/hosted/embed-messages.ts";
import type { Run } from "../../../shared/contract/lesson.ts";
import { ControlFailure, messageOf } from "../../api/control-failure.ts";
import { type ClusterState, followCluster } from "../../live/cluster-state.ts";
import { accessTo } from "./access.ts";
import { newCalls } from "./calls.ts";
import type { FrameState, Phase, Refused } from "./model.ts";
import { tellChanges } from "./changes.ts";
import { wear } from "./look.ts";
import { newPageLink, type PageLink } from "./page-link.ts";
import { openSession, type Session } from "./session.ts";
import { type Settings, settingsOf } from "./settings.ts";
import { oneAfterAnother, visitorStore } from "./visitor.ts";
import { wordsOf } from "../../messages/embed.ts";

export function newFrame(): FrameState {
  const settings = settingsOf(document, location);
  const { origin, theme, language } = settings;
  const words = signal(wordsOf(language));
  const dress = (look: Parameters<typeof wear>[0]) => {
    wear(look);
    words.value = wordsOf(look.language);
  };
  dress({ theme, language, style: {} });
  const phase = signal<Phase>({ is: "opening" });
  const run = signal<Run | undefined>(undefined);
  const link = newPageLink(parent, origin, settings.isElement, {
    look: dress,
    call: (call) => void calls.take(call),
    moved: () => void lookAgain(phase, run),
  });
  const frame: FrameState = {
    settings,
    link,
    words,
    phase,
    run,
    terminal: { value: undefined },
    open: () => void open({ settings, link, phase, run }),
    ...lessonDeeds(phase, run, link),
  };
  const calls = newCalls(frame);
  frame.open();
  return frame;
}

interface Opening {
  readonly settings: Settings;
  readonly link: PageLink;
  readonly phase: { value: Phase };
  readonly run: { value: Run | undefined };
}

async function open({ settings, link, phase, run }: Opening): Promise<void> {
  phase.value = { is: "opening" };
  try {
    const session = await sessionFor(settings, link);
    const { sandbox, isNew, run: begun } = session.current();
    const over = new AbortController();
    const end = () => {
      if (over.signal.aborted) return;
      over.abort();
      phase.value = { is: "expired" };
      link.send({ type: "expired" });
    };
    const access = accessTo(session);
    const cluster = settings.panes.some((pane) => pane !== "check" && pane !== "lesson")
      ? followCluster(access, over.signal)
      : undefined;
    run.value = begun;
    phase.value = { is: "open", session, access, cluster };
    link.send({ type: "ready", sandbox, isNew });
    const timer = setTimeout(end, Math.min(Date.parse(sandbox.expiresAt) - systemClock.nowMs(), longestTimerMs));
    over.signal.addEventListener("abort", () => clearTimeout(timer));
    if (cluster) follow(cluster, link, over.signal, end);
  } catch (error) {
    phase.value = refusalOf(error);
    const { code, message } = phase.value;
    link.send({ type: "refused", code, message });
  }
}

/** The maximum delay of a timer. */
const longestTimerMs = 2 ** 31 - 1;

function follow(cluster: ClusterState, link: PageLink, until: AbortSignal, end: () => void): void {
  const stops = [
    tellChanges(cluster, (changes) => link.send({ type: "changed", ...changes })),
    effect(() => {
      const { value } = cluster.link;
      if (value.phase === "refused" && (value.status === 410 || value.status === 404)) end();
    }),
  ];
  until.addEventListener("abort", () => {
    for (const stop of stops) stop();
  });
}

async function sessionFor(settings: Settings, link: PageLink): Promise<Session> {
  if (settings.ticket === "") throw new ControlFailure(401, { code: "unauthorized", message: "there is no ticket" });
  const store = visitorStore(settings.key);
  await link.hello();
  return oneAfterAnother(settings.key, async () => {
    const session = await openSession(settings, store.read(), () => systemClock.nowMs());
    store.keep(session.current().visitor);
    return session;
  });
}

/** Reads the lesson again because another frame may have advanced it. If that fails, the last state stays. */
async function lookAgain({ value: now }: { readonly value: Phase }, run: { value: Run | undefined }): Promise<void> {
  if (now.is !== "open" || !run.value) return;
  run.value = (await now.session.refresh().catch(() => undefined)) ?? run.value;
}

function lessonDeeds(
  phase: { readonly value: Phase },
  run: { value: Run | undefined },
  link: PageLink,
): Pick<FrameState, "check" | "answer" | "reset"> {
  const session = () => {
    const { value } = phase;
    if (value.is === "open") return value.session;
    throw new ControlFailure(410, { code: "expired", message: "the sandbox is not there" });
  };
  return {
    check: async () => {
      const before = run.value?.step ?? 0;
      const next = await session().check();
      run.value = next;
      link.send({ type: "moved" });
      const event = passed(before, next);
      if (event) link.send(event);
      return next;
    },
    answer: async (text) => (run.value = await session().answer(text)),
    reset: async () => {
      const { run: next } = await session().reset();
      if (next) run.value = next;
      link.send({ type: "moved" });
    },
  };
}

/** Returns the event of the step that was checked. */
function passed(step: number, { steps, lesson, points, maxPoints, state }: Run): EmbedEvent | undefined {
  if (steps[step - 1]?.state !== "passed") return undefined;
  return { type: "step-passed", lesson, step, points, maxPoints, isFinished: state === "finished" };
}

function refusalOf(error: unknown): Refused {
  if (!(error instanceof ControlFailure))
    return { is: "refused", status: -1, code: "unexpected", message: messageOf(error) };
  const { status, code, message, limit } = error;
  return { is: "refused", status, code, message, ...(limit ? { limit } : {}) };
}
