// What the learner's page asks of the service, with the token from its address.
import type { OwnAccess, Run } from "../../shared/contract/lesson.ts";
import { asking, ControlFailure, posting } from "../api/control.ts";

export interface LearnerApi {
  /** `step`: whose page it has; absent: the one that the learner is at. */
  run(step?: number): Promise<Run>;
  access(): Promise<OwnAccess>;
  check(answer: string | undefined): Promise<Run>;
  restart(): Promise<Run>;
  skip(step: number): Promise<Run>;
}

/** Between two things that are done: what comes sooner is refused. */
const pauseMs = 1_100;

export function learnerApi(token: string): LearnerApi {
  const ask = asking(token);
  // The API answers what its contract says.
  const json = async <T>(path: string, init?: RequestInit) => (await (await ask(path, init)).json()) as T;
  let lastMs = Number.NEGATIVE_INFINITY;
  const doing = async (path: string, body: object): Promise<Run> => {
    await wait(lastMs + pauseMs - performance.now());
    try {
      return await patient(() => json<Run>(path, posting(body)));
    } finally {
      lastMs = performance.now();
    }
  };
  return {
    run: (step) => json(`/v1/learn${step === undefined ? "" : `?step=${step}`}`),
    access: () => json("/v1/learn/access"),
    check: (answer) => doing("/v1/learn/check", answer === undefined ? {} : { answer }),
    restart: () => doing("/v1/learn/restart", {}),
    skip: (step) => doing("/v1/learn/skip", { step }),
  };
}

/** What came too soon after something that was done elsewhere is asked again, once. */
async function patient<T>(ask: () => Promise<T>): Promise<T> {
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
