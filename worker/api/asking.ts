// A turn that may have to ask outside: it is run again with what was answered, on the same time and chance, until it has all it asks for.
import { withPatternBudget } from "../../shared/base/kept-patterns.ts";
import { must } from "../../shared/base/assert.ts";
import { recordedRandom } from "../../shared/base/recorded-random.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import { type Answer, answersFrom, keyOfQuestion, type Question, Unanswered } from "../../shared/k8s/outbound-call.ts";
import type { Registry } from "../registry/registry.ts";
import type { Call, Service } from "./api-server.ts";

/** Each round asks what the one before it could not know: no chain of webhooks is longer. */
const maxRounds = 100;

/** `body` may be run several times, each time with nothing written yet: what it changes outside the registry must bear that. */
export async function turn<T>(call: Call, body: (call: Call) => T): Promise<T> {
  const { service } = call;
  const forget = forgetting(call);
  try {
    return service.turn(() => withPatternBudget(() => body(call)));
  } catch (error) {
    if (!(error instanceof Unanswered)) throw error;
    forget();
    return await askingTurn(call, body);
  }
}

/** All of them in one turn, where nobody has to be asked; else each in a turn of its own. */
export async function turnOrEach<T>(
  call: Call,
  all: readonly T[],
  body: (call: Call, some: readonly T[]) => void,
): Promise<void> {
  const forget = forgetting(call);
  try {
    call.service.turn(() => body(call, all));
  } catch (error) {
    if (!(error instanceof Unanswered)) throw error;
    forget();
    for (const one of all) await turn(call, (call) => body(call, [one]));
  }
}

/** What can only be read once someone has been asked: custom resources that a webhook converts. */
export async function whenAnswered<T>({ service }: Call, body: () => T | Promise<T>): Promise<T> {
  for (let round = 0; round < maxRounds; round++) {
    try {
      return await body();
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error;
      await askAll(service, error.questions, (one, answer) => service.registry.answered?.(one, answer));
    }
  }
  throw ApiError.internal("conversion webhooks were asked too often for one request");
}

/** Throws 429 where the sandbox has too many calls under way already. Of more than it may have at all, so many are made at a time. */
async function askAll(
  { ask, load: { calls } }: Service,
  questions: readonly Question[],
  answered: (question: Question, answer: Answer) => void,
): Promise<void> {
  const asks = must(ask, "someone who asks");
  const most = Math.max(1, calls.limited);
  for (let at = 0; at < questions.length; at += most) {
    const some = questions.slice(at, at + most);
    const done = calls.take(some.length);
    try {
      await Promise.all(some.map(async (one) => answered(one, await asks(one))));
    } finally {
      done();
    }
  }
}

/** Takes back what is told from here on: a turn that is run again tells it again. */
function forgetting({ warnings, annotations }: Call): () => void {
  const warned = warnings.length;
  const noted = new Map(annotations);
  return () => {
    warnings.length = warned;
    annotations.clear();
    for (const [key, value] of noted) annotations.set(key, value);
  };
}

async function askingTurn<T>(call: Call, body: (call: Call) => T): Promise<T> {
  const { service } = call;
  const forget = forgetting(call);
  const known = new Map<string, Answer>();
  const nowMs = service.registry.clock.nowMs();
  const random = recordedRandom(service.registry.random);
  const registry: Registry = {
    ...service.registry,
    clock: { nowMs: () => nowMs },
    random,
    ask: (questions) => answersFrom(known, questions),
  };
  const own: Call = { ...call, service: { ...service, registry } };
  for (let round = 0; round < maxRounds; round++) {
    try {
      return service.turn(() => withPatternBudget(() => body(own)));
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error;
      await askAll(service, error.questions, (one, answer) => {
        known.set(keyOfQuestion(one), answer);
        registry.answered?.(one, answer);
      });
      forget();
      random.rewind();
    }
  }
  throw ApiError.internal("admission webhooks were asked too often for one request");
}
