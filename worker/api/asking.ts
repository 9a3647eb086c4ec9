// Runs a turn that may make outbound calls. It runs again with the answers, at the same time and with the same random numbers, until all
// calls are answered.
import { must } from "../../shared/base/assert.ts";
import type { MaybePromise } from "./maybe-promise.ts";
import { limits } from "../../shared/base/limits.ts";
import { recordedRandom } from "../../shared/base/recorded-random.ts";
import { NotYetCreated } from "../../shared/k8s/not-yet-created.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import {
  type OutboundAnswer,
  answersFrom,
  keyOfCall,
  type OutboundCall,
  PendingCalls,
} from "../../shared/k8s/outbound-call.ts";
import type { Registry } from "../registry/registry.ts";
import type { ApiRequest } from "./api-request.ts";
import type { ApiServer } from "./api-server.ts";
import { Pauses } from "./pauses.ts";

/** The maximum number of rounds. Each round makes calls that depend on earlier answers, so this bounds a chain of webhooks. */
const maxRounds = 100;

/**
 * Runs `body` in a turn, and waits for controllers if needed. `body` may run several times before anything is written, so its other side
 * effects must be repeatable.
 */
export async function turn<T>(req: ApiRequest, body: (req: ApiRequest) => T): Promise<T> {
  const forget = forgetting(req);
  for (const ms of req.server.wait ? limits.accountWaitsMs : []) {
    try {
      return await answeredTurn(req, body);
    } catch (error) {
      if (!(error instanceof NotYetCreated)) throw error;
    }
    forget();
    await req.server.wait?.(ms);
  }
  return answeredTurn(req, body);
}

async function answeredTurn<T>(req: ApiRequest, body: (req: ApiRequest) => T): Promise<T> {
  const pauses = new Pauses(req.server);
  const result = await askingTurn(req, body);
  // After a long turn, the response is encoded in another turn.
  await pauses.next();
  return result;
}

/** Runs `body` for all items in one turn if no outbound call is needed, otherwise for each item in its own turn. */
export async function turnOrEach<T>(
  req: ApiRequest,
  all: readonly T[],
  body: (req: ApiRequest, some: readonly T[]) => void,
): Promise<void> {
  const forget = forgetting(req);
  await req.server.turns?.next();
  try {
    req.server.turn(() => body(req, all));
  } catch (error) {
    if (!(error instanceof PendingCalls)) throw error;
    forget();
    for (const item of all) await turn(req, (req) => body(req, [item]));
  }
}

/** Runs a read that may need outbound calls: custom resources that a webhook converts. A read that needs none ends at once. */
export function whenAnswered<T>(req: ApiRequest, body: () => MaybePromise<T>): MaybePromise<T> {
  try {
    const result = body();
    return result instanceof Promise ? result.catch((error: unknown) => answeredRead(req, body, error)) : result;
  } catch (error) {
    return answeredRead(req, body, error);
  }
}

/** Makes the calls that a read needs, and runs it again until it needs no more. */
async function answeredRead<T>({ server }: ApiRequest, body: () => MaybePromise<T>, first: unknown): Promise<T> {
  let failure = first;
  for (let round = 0; round < maxRounds; round++) {
    if (!(failure instanceof PendingCalls)) throw failure;
    await askAll(server, failure.calls, (call, answer) => server.registry.answered?.(call, answer));
    try {
      return await body();
    } catch (error) {
      failure = error;
    }
  }
  throw ApiError.internal("conversion webhooks were asked too often for one request");
}

/**
 * Makes calls and passes on their answers. Throws 429 if the sandbox has too many calls in flight. More calls than its limit are made in
 * portions.
 */
async function askAll(
  { ask, load, pause }: ApiServer,
  calls: readonly OutboundCall[],
  answered: (call: OutboundCall, answer: OutboundAnswer) => void,
): Promise<void> {
  if (calls.length === 0) return await pause?.();
  const asks = must(ask, "someone who asks");
  const most = Math.max(1, load.calls.limited);
  for (let at = 0; at < calls.length; at += most) {
    const some = calls.slice(at, at + most);
    const done = load.calls.take(some.length);
    try {
      await Promise.all(some.map(async (call) => answered(call, await asks(call))));
    } finally {
      done();
    }
  }
}

/** Returns a function that removes later warnings and annotations, since a turn that runs again adds them again. */
function forgetting({ warnings, annotations }: ApiRequest): () => void {
  const warned = warnings.length;
  const noted = new Map(annotations);
  return () => {
    warnings.length = warned;
    annotations.clear();
    for (const [key, value] of noted) annotations.set(key, value);
  };
}

async function askingTurn<T>(req: ApiRequest, body: (req: ApiRequest) => T): Promise<T> {
  const { server } = req;
  const forget = forgetting(req);
  const answers = new Map<string, OutboundAnswer>();
  const nowMs = server.registry.clock.nowMs();
  const random = recordedRandom(server.registry.random);
  const registry: Registry = {
    ...server.registry,
    clock: { nowMs: () => nowMs },
    random,
    ask: (calls) => answersFrom(answers, calls),
  };
  const turnRequest: ApiRequest = { ...req, server: { ...server, registry } };
  for (let round = 0; round < maxRounds; round++) {
    await server.turns?.next();
    try {
      return server.turn(() => body(turnRequest));
    } catch (error) {
      if (!(error instanceof PendingCalls)) throw error;
      await askAll(server, error.calls, (call, answer) => {
        answers.set(keyOfCall(call), answer);
        registry.answered?.(call, answer);
      });
      forget();
      random.rewind();
    }
  }
  throw ApiError.internal("admission webhooks were asked too often for one request");
}
