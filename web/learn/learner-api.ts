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

const soonMs = 1_100;

export function learnerApi(token: string): LearnerApi {
  const ask = asking(token);
  // The API answers what its contract says.
  const json = async <T>(path: string, init?: RequestInit) => (await (await ask(path, init)).json()) as T;
  const doing = (path: string, body: object): Promise<Run> => patient(() => json<Run>(path, posting(body)));
  return {
    run: (step) => json(`/v1/learn${step === undefined ? "" : `?step=${step}`}`),
    access: () => json("/v1/learn/access"),
    check: (answer) => doing("/v1/learn/check", answer === undefined ? {} : { answer }),
    restart: () => doing("/v1/learn/restart", {}),
    skip: (step) => doing("/v1/learn/skip", { step }),
  };
}

/** What came too soon after something else is asked again, once. */
async function patient<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof ControlFailure) || error.code !== "too_soon") throw error;
    await new Promise((later) => setTimeout(later, soonMs));
    return ask();
  }
}
