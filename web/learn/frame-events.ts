// What a page that frames the learner's page is told. Who may frame it is signed into its address; no token is among this.
import type { Run } from "../../shared/contract/lesson.ts";

/** The message's `data`. */
export interface LessonEvent {
  readonly source: "sandbar-lesson";
  /** `changed`: something was graded, begun again or skipped; `passed`: a step, whose number is `step`. */
  readonly type: "ready" | "changed" | "passed" | "finished" | "expired";
  readonly lesson: string;
  readonly run: string;
  readonly step: number;
  readonly points: number;
  readonly maxPoints: number;
}

/** Tells of what is different; `before`: absent where the page has just been opened. */
export function tellFrame(now: Run, before: Run | undefined): void {
  if (parent === window) return;
  const { lesson, run, points, maxPoints } = now;
  const tell = (type: LessonEvent["type"], step = now.step) => {
    const event: LessonEvent = { source: "sandbar-lesson", type, lesson, run, step, points, maxPoints };
    parent.postMessage(event, "*");
  };
  for (const { type, step } of eventsOf(now, before)) tell(type, step);
}

export function eventsOf(
  now: Run,
  before: Run | undefined,
): { readonly type: LessonEvent["type"]; readonly step?: number }[] {
  if (!before) return [{ type: "ready" }];
  const passed = now.steps.flatMap(({ state }, at) =>
    state === "passed" && before.steps[at]?.state !== "passed" ? [{ type: "passed" as const, step: at + 1 }] : [],
  );
  const over = now.state === before.state ? [] : now.state === "running" ? [] : [{ type: now.state }];
  return [...(now.changedAt === before.changedAt ? [] : [{ type: "changed" as const }]), ...passed, ...over];
}
