// Encodes the results of learners as xAPI 1.0.3 statements for a learning record store.
import type { Result } from "../../../../shared/contract/lesson.ts";

const verbs = {
  initialized: "http://adlnet.gov/expapi/verbs/initialized",
  answered: "http://adlnet.gov/expapi/verbs/answered",
  passed: "http://adlnet.gov/expapi/verbs/passed",
  completed: "http://adlnet.gov/expapi/verbs/completed",
} as const;

/** Encodes results. The ids of statements depend on the run only, so that a repeated export adds nothing to a record store. */
export async function resultsXapi(results: readonly Result[], home: string): Promise<object[]> {
  const all = await Promise.all(results.map((result) => statementsOf(result, home)));
  return all.flat();
}

async function statementsOf(result: Result, home: string): Promise<object[]> {
  const { run, lesson, learner, steps, startedAt, changedAt, points, maxPoints, state } = result;
  const lessonId = `${home}/lessons/${encodeURIComponent(lesson)}`;
  const statement = (verb: keyof typeof verbs, object: object, timestamp: string, more: object = {}) => ({
    verb: { id: verbs[verb], display: { "en-US": verb } },
    actor: actorOf(result, home),
    object: { objectType: "Activity", ...object },
    timestamp,
    context: { contextActivities: { grouping: [{ id: lessonId }] }, extensions: { [`${home}/xapi/run`]: run } },
    ...more,
  });
  const lessonActivity = { id: lessonId, definition: { type: "http://adlnet.gov/expapi/activities/course" } };
  const ofSteps = steps.flatMap(({ state: stepState, best, seconds, passedAt, answers, startedAt: begun }, at) => {
    const id = `${lessonId}/steps/${at + 1}`;
    const duration = seconds === undefined ? {} : { duration: `PT${seconds}S` };
    const object = { id, definition: { type: "http://adlnet.gov/expapi/activities/lesson" } };
    const passed =
      stepState === "passed" && passedAt !== undefined
        ? [statement("passed", object, passedAt, { result: { success: true, score: { raw: best }, ...duration } })]
        : [];
    const answered = Object.entries(answers).map(([name, { answer, passed: success }]) => {
      const definition = { type: "http://adlnet.gov/expapi/activities/cmi.interaction", name: { "en-US": name } };
      const question = { id: `${id}/questions/${encodeURIComponent(name)}`, definition };
      const response = { response: answer.join("[,]"), success };
      return statement("answered", question, passedAt ?? begun ?? changedAt, { result: response });
    });
    return [...answered, ...passed];
  });
  const scaled = maxPoints === 0 ? {} : { scaled: Math.round((points / maxPoints) * 1000) / 1000 };
  const score = { raw: points, min: 0, max: maxPoints, ...scaled };
  const ended = { result: { completion: true, score } };
  const end = state === "finished" ? [statement("completed", lessonActivity, changedAt, ended)] : [];
  const all = [statement("initialized", lessonActivity, startedAt), ...ofSteps, ...end];
  return Promise.all(
    all.map(async (entry) => ({ id: await idOf([learner, run, entry.verb.id, entry.object]), ...entry })),
  );
}

function actorOf({ learner, email }: Result, home: string): object {
  const isAddress = /^[^\s@]+@[^\s@]+$/.test(learner);
  const address = email ?? (isAddress ? learner : undefined);
  if (address !== undefined) return { objectType: "Agent", name: learner, mbox: `mailto:${address}` };
  return { objectType: "Agent", account: { homePage: home, name: learner } };
}

/** Returns a UUID (version 8) of the statement's identity. */
async function idOf(identity: unknown): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(identity));
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).slice(0, 16);
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x80;
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80;
  const hex = [...hash].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
