// A lesson's cluster in this process: requests of a learner, and grading as in the object.
import type { CheckResult } from "../../shared/contract/cluster/lesson.ts";
import type { Action } from "../../shared/lesson/lesson.ts";
import { applyManifests } from "../../worker/cluster/manifests/manifests.ts";
import { Lessons } from "../../worker/cluster/lessons/lessons.ts";
import { newServer, type TestServer, type TestServerOptions } from "../api/server.ts";

export interface LessonBed {
  readonly server: TestServer;
  readonly registry: TestServer["cluster"]["registry"];
  readonly lessons: Pick<Lessons<TestServer["cluster"]>, "gradeStep">;
  /** Sets the revision at which the step begins. */
  begin(revision?: number): void;
  grade(expressions: readonly string[], answer?: string, allowsStatusWrites?: boolean): Promise<readonly CheckResult[]>;
  /** Grades one check: returns true, false, or the reason why it could not be graded. */
  check(expression: string, answer?: string): Promise<boolean | string>;
  /** Performs the actions. Throws an error for an action that the cluster refuses. */
  perform(actions: readonly Action[]): Promise<void>;
  /** Advances the cluster's time. */
  pass(seconds: number): void;
}

export function lessonBed(manifests = "", options: TestServerOptions = {}): LessonBed {
  const server = newServer({ service: ({ controlPlane }) => ({ audit: () => controlPlane.audit() }), ...options });
  const { cluster } = server;
  for (const _ of applyManifests(cluster.registry, manifests)) cluster.runtime.drain(1000);
  cluster.step(60_000);
  const lessons = new Lessons({
    current: () => cluster,
    turn: (open, body) => {
      const result = open.registry.store.meter.within(body);
      open.runtime.drain(1000);
      return result;
    },
    pause: () => Promise.resolve(),
  });
  let since = cluster.registry.store.revision;
  const grade: LessonBed["grade"] = async (expressions, answer = "", allowsStatusWrites = false) => {
    const graded = await lessons.gradeStep({ expressions, since, answer, allowsStatusWrites });
    if (!graded.ok) throw new Error(`${graded.code}: ${graded.message}`);
    return graded.results;
  };
  return {
    server,
    registry: cluster.registry,
    lessons,
    begin: (revision = cluster.registry.store.revision) => {
      since = revision;
    },
    grade,
    check: async (expression, answer) => {
      const [result] = await grade([expression], answer);
      return result?.message || (result?.passed ?? false);
    },
    perform: async (actions) => {
      const done = await lessons.perform(actions);
      if (!done.ok) throw new Error(`${done.code}: ${done.message}`);
    },
    pass: (seconds) => cluster.step(seconds * 1000),
  };
}
