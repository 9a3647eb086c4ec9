// The events between two states of a run, for a page that embeds the learner's page.
import type { Run } from "../../shared/contract/lesson.ts";

/** The `data` of a message to the framing page. */
export interface LessonEvent {
  readonly source: "sandbar-lesson";
  /** The type. `changed`: a step was graded, restarted or skipped. `passed`: step number `step` was passed. */
  readonly type: "ready" | "changed" | "passed" | "finished" | "expired";
  readonly lesson: string;
  readonly run: string;
  readonly step: number;
  readonly points: number;
  readonly maxPoints: number;
}

/** Returns the events between two states of a run. `before` is undefined when the page has just been opened. */
export function eventsOf(now: Run, before: Run | undefined): LessonEvent[] {
  const { lesson, run, points, maxPoints } = now;
  const event = (type: LessonEvent["type"], step = now.step): LessonEvent => {
    return { source: "sandbar-lesson", type, lesson, run, step, points, maxPoints };
  };
  if (!before) return [event("ready")];
  const passed = now.steps.flatMap(({ state }, at) =>
    state === "passed" && before.steps[at]?.state !== "passed" ? [event("passed", at + 1)] : [],
  );
  return [
    ...(now.changedAt === before.changedAt ? [] : [event("changed")]),
    ...passed,
    ...(now.state === before.state || now.state === "running" ? [] : [event(now.state)]),
  ];
}
