// A visitor's session: opens it, renews it in time, and sends its requests.
import type { CreateEmbedSession, EmbedReset, EmbedSession } from "../../../shared/contract/hosted/embed.ts";
import type { Run } from "../../../shared/contract/lesson.ts";
import { asking, posting } from "../../api/control.ts";
import type { Settings } from "./settings.ts";

/** A token that expires within this time is not used any more. */
const spareMs = 60_000;

export interface Session {
  /** The last response of the service. */
  current(): EmbedSession;
  /** Returns the token of the sandbox's API, renewed in time. Throws a `ControlFailure`. */
  token(isStale: boolean): Promise<string>;
  /** Reads the session again, and returns the visitor's state in the lesson. */
  refresh(): Promise<Run | undefined>;
  reset(): Promise<EmbedReset>;
  check(): Promise<Run>;
  answer(text: string): Promise<Run>;
}

const ask = asking(undefined);

async function post<A>(path: string, body: unknown): Promise<A> {
  // The response conforms to the contract of the API.
  return (await (await ask(path, posting(body))).json()) as A;
}

export async function openSession(
  { ticket, template, lesson, readOnly }: Settings,
  visitor: string | undefined,
  nowMs: () => number,
): Promise<Session> {
  const open = (identity: Pick<CreateEmbedSession, "ticket" | "visitor" | "sandbox">) => {
    const choices: Omit<CreateEmbedSession, "ticket"> = {
      readOnly,
      ...(template === undefined ? {} : { template }),
      ...(lesson === undefined ? {} : { lesson }),
    };
    return post<EmbedSession>("/v1/embed/sessions", { ...choices, ...identity });
  };
  let current = await open({ ticket, ...(visitor === undefined ? {} : { visitor }) });
  let renewing: Promise<void> | undefined;
  const renew = () => {
    // If the sandbox has ended, the service creates another.
    renewing ??= open({ ticket: current.ticket, visitor: current.visitor, sandbox: current.sandbox.id })
      .then((next) => {
        current = next;
      })
      .finally(() => (renewing = undefined));
    return renewing;
  };
  const sessionToken = async () => {
    if (Date.parse(current.tokenExpiresAt) - spareMs <= nowMs()) await renew();
    return current.session;
  };
  return {
    current: () => current,
    token: async (isStale) => {
      if (isStale) await renew();
      else await sessionToken();
      return current.token;
    },
    refresh: async () => {
      await renew();
      return current.run;
    },
    reset: async () => post("/v1/embed/reset", { session: await sessionToken() }),
    check: async () => post("/v1/embed/check", { session: await sessionToken() }),
    answer: async (text) => post("/v1/embed/answer", { session: await sessionToken(), answer: text }),
  };
}
