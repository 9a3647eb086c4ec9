// A turn that may have to ask outside: it is run again with what was answered, on the same time and chance, until it has all it asks for.
import { must } from "../../shared/base/assert.ts";
import { limits } from "../../shared/base/limits.ts";
import { recordedRandom } from "../../shared/base/recorded-random.ts";
import { NotYetThere } from "../../shared/k8s/not-yet-there.ts";
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

/** Each round asks what the one before it could not know: no chain of webhooks is longer. */
const maxRounds = 100;

/**
 * `body` may be run several times, each time with nothing written yet: what it changes outside the registry must bear that. What
 * controllers are about to make is waited for.
 */
export async function turn<T>(req: ApiRequest, body: (req: ApiRequest) => T): Promise<T> {
  const forget = forgetting(req);
  for (const ms of req.server.wait ? limits.accountWaitsMs : []) {
    try {
      return await answeredTurn(req, body);
    } catch (error) {
      if (!(error instanceof NotYetThere)) throw error;
    }
    forget();
    await req.server.wait?.(ms);
  }
  return answeredTurn(req, body);
}

async function answeredTurn<T>(req: ApiRequest, body: (req: ApiRequest) => T): Promise<T> {
  const pauses = new Pauses(req.server);
  const result = await askingTurn(req, body);
  // What a long turn gives is shown in another.
  await pauses.next();
  return result;
}

/** All of them in one turn, where nobody has to be asked; else each in a turn of its own. */
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
    for (const one of all) await turn(req, (req) => body(req, [one]));
  }
}

/** What can only be read once someone has been asked: custom resources that a webhook converts. */
export async function whenAnswered<T>({ server }: ApiRequest, body: () => T | Promise<T>): Promise<T> {
  for (let round = 0; round < maxRounds; round++) {
    try {
      return await body();
    } catch (error) {
      if (!(error instanceof PendingCalls)) throw error;
      await askAll(server, error.calls, (one, answer) => server.registry.answered?.(one, answer));
    }
  }
  throw ApiError.internal("conversion webhooks were asked too often for one request");
}

/** Throws 429 where the sandbox has too many calls under way already. Of more than it may have at all, so many are made at a time. */
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
      await Promise.all(some.map(async (one) => answered(one, await asks(one))));
    } finally {
      done();
    }
  }
}

/** Takes back what is told from here on: a turn that is run again tells it again. */
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
  const known = new Map<string, OutboundAnswer>();
  const nowMs = server.registry.clock.nowMs();
  const random = recordedRandom(server.registry.random);
  const registry: Registry = {
    ...server.registry,
    clock: { nowMs: () => nowMs },
    random,
    ask: (calls) => answersFrom(known, calls),
  };
  const own: ApiRequest = { ...req, server: { ...server, registry } };
  for (let round = 0; round < maxRounds; round++) {
    await server.turns?.next();
    try {
      return server.turn(() => body(own));
    } catch (error) {
      if (!(error instanceof PendingCalls)) throw error;
      await askAll(server, error.calls, (one, answer) => {
        known.set(keyOfCall(one), answer);
        registry.answered?.(one, answer);
      });
      forget();
      random.rewind();
    }
  }
  throw ApiError.internal("admission webhooks were asked too often for one request");
}
