// The requests of the learner's page, with the token from its address.
import type { ExamAction, OwnAccess, Run } from "../../shared/contract/lesson.ts";
import type { RecordCommands } from "../../shared/contract/hosted/teaching.ts";
import { asking, posting } from "../api/control.ts";
import { ControlFailure } from "../api/control-failure.ts";

export interface LearnerApi {
  /** Reads the run with the page of `step`, by default of the current step. */
  run(step?: number): Promise<Run>;
  access(): Promise<OwnAccess>;
  check(answer: string | undefined, answers: Record<string, string[]>): Promise<Run>;
  /** Grades the checks again if the cluster is not at a revision any more. It is no try. */
  recheck(revision: number): Promise<Run>;
  hint(): Promise<Run>;
  solution(): Promise<Run>;
  /** Allows the teacher to run lines in a terminal of this page, or ends the teacher's help. */
  consent(terminal: string | undefined): Promise<Run>;
  /** Takes the teacher's lines up to a number, before the terminal runs them. */
  takeLines(terminal: string, upTo: number): Promise<Run>;
  /** Records entries of the terminal. A request that is `closing` outlives the page. */
  record(input: RecordCommands, isClosing: boolean): Promise<void>;
  restart(): Promise<Run>;
  skip(step: number): Promise<Run>;
  exam(action: ExamAction): Promise<Run>;
}

/** The minimum interval between two actions. The service refuses earlier ones. */
const pauseMs = 1_100;

export function learnerApi(token: string): LearnerApi {
  const ask = asking(token);
  // The response conforms to the contract of the API.
  const json = async <T>(path: string, init?: RequestInit) => (await (await ask(path, init)).json()) as T;
  let lastMs = Number.NEGATIVE_INFINITY;
  /** The running grading that nobody asked for, which an action waits for. */
  let rechecking: Promise<unknown> = Promise.resolve();
  const act = async (path: string, body: object): Promise<Run> => {
    await rechecking.catch(() => undefined);
    await wait(lastMs + pauseMs - performance.now());
    try {
      return await retryIfTooSoon(() => json<Run>(path, posting(body)));
    } finally {
      lastMs = performance.now();
    }
  };
  return {
    run: (step) => json(`/v1/learn${step === undefined ? "" : `?step=${step}`}`),
    access: () => json("/v1/learn/access"),
    check: (answer, answers) => act("/v1/learn/check", { ...(answer === undefined ? {} : { answer }), answers }),
    recheck: (unlessRevision) => {
      const run = json<Run>("/v1/learn/check", posting({ unlessRevision }));
      rechecking = run;
      return run;
    },
    hint: () => act("/v1/learn/hint", {}),
    solution: () => act("/v1/learn/solution", {}),
    consent: (terminal) =>
      json("/v1/learn/help", posting(terminal === undefined ? { joined: false } : { joined: true, terminal })),
    takeLines: (terminal, upTo) => json("/v1/learn/help/lines", posting({ terminal, upTo })),
    record: async (input, isClosing) => {
      await ask("/v1/learn/commands", { ...posting(input), ...(isClosing ? { keepalive: true } : {}) });
    },
    restart: () => act("/v1/learn/restart", {}),
    exam: (action) => act("/v1/learn/exam", action),
    skip: (step) => act("/v1/learn/skip", { step }),
  };
}

/** Repeats a request once if it came too soon after another one. */
async function retryIfTooSoon<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof ControlFailure) || error.code !== "too_soon") throw error;
    await wait(pauseMs);
    return ask();
  }
}

function wait(ms: number): Promise<void> {
  return ms <= 0 ? Promise.resolve() : new Promise((done) => setTimeout(done, ms));
}
