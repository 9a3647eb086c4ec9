// Where a learner's launch ends: the one place that knows the learner's page.
import { frameParameter } from "../frame-policy.ts";
import type { ControlApiServer } from "../control-api/service.ts";

export interface Landing {
  readonly lesson: string;
  readonly run: string;
  readonly sandboxId: string;
  /** Of the lesson's first user in the run's sandbox. */
  readonly token: string;
  /** Origins that may frame it. */
  readonly frames: readonly string[];
}

/** The token is in the fragment, which no server is sent. */
export async function learnersPage(
  { console, secret }: Pick<ControlApiServer, "console" | "secret">,
  { sandboxId, token, frames }: Landing,
): Promise<string> {
  return `${console}/view/${sandboxId}?frame=${await frameParameter(secret, sandboxId, frames)}#${token}`;
}
