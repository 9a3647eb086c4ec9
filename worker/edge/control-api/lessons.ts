// What can be done with lessons: publish, find, list and delete. A version is a row that never changes.
import type { z } from "zod";
import { limits } from "../../../shared/base/limits.ts";
import type { LessonInfo, LessonList, LessonWithDocument } from "../../../shared/contract/lesson.ts";
import { allPointsOf, expressionProblems, type Lesson, type lesson } from "../../../shared/lesson/lesson.ts";
import type { LessonFacts } from "../db/lessons.ts";
import { invalidField } from "./body.ts";
import { ControlError } from "./control-error.ts";
import { requireRoom } from "./sandboxes.ts";
import type { ControlApiServer } from "./server.ts";
import { getTemplate } from "./templates/templates.ts";

/** The next version; what is the same as the newest is that one. */
export async function publishLesson(
  controlApi: ControlApiServer,
  tenantId: string,
  asked: z.output<typeof lesson>,
): Promise<LessonInfo> {
  await requireRoom(controlApi);
  const { lessons } = controlApi;
  const given = await pinned(controlApi, tenantId, asked);
  const document = JSON.stringify(given);
  const characters = document.length;
  if (characters > limits.lessonCharacters) {
    throw new ControlError(413, "too_large", `a lesson must not exceed ${limits.lessonCharacters} characters of JSON`);
  }
  for (const { step, check, line, column, message } of expressionProblems(given)) {
    throw invalidField(`steps.${step}.checks.${check}.expression`, `${line}:${column}: ${message}`);
  }
  const newest = await lessons.find(tenantId, given.name);
  if (newest?.document === document) return describe(newest);
  const held = await lessons.held(tenantId);
  if (held.versions >= limits.lessonVersions || held.characters + characters > limits.lessonTenantCharacters) {
    const most = `${limits.lessonVersions} versions of lessons, or ${limits.lessonTenantCharacters} characters in them`;
    throw new ControlError(409, "too_many_lessons", `there are ${most}, which is the most: delete some`);
  }
  const row = {
    tenantId,
    name: given.name,
    version: (newest?.version ?? 0) + 1,
    title: given.title,
    steps: given.steps.length,
    points: allPointsOf(given),
    document,
    characters,
    createdAtMs: controlApi.nowMs(),
  };
  if (await lessons.add(row)) return describe(row);
  throw new ControlError(409, "busy", "another version was published meanwhile: publish again");
}

/** What a version says never changes, so it names a version of its template. */
async function pinned(
  controlApi: ControlApiServer,
  tenantId: string,
  given: z.output<typeof lesson>,
): Promise<z.output<typeof lesson>> {
  if (given.template === undefined) return given;
  try {
    const { ref } = await getTemplate(controlApi, tenantId, given.template);
    return { ...given, template: ref };
  } catch (error) {
    if (!(error instanceof ControlError) || error.status !== 404) throw error;
    throw invalidField("template", "is not there: neither a template of yours nor one that is built in");
  }
}

export async function listLessons({ lessons }: ControlApiServer, tenantId: string): Promise<LessonList> {
  return { lessons: (await lessons.list(tenantId)).map(describe) };
}

export async function getLesson(
  controlApi: ControlApiServer,
  tenantId: string,
  name: string,
  version?: number,
): Promise<LessonWithDocument> {
  const { facts, document } = await lessonNamed(controlApi, tenantId, name, version);
  return { ...describe(facts), lesson: document };
}

/** With all its versions and results; sandboxes of its runs live to their end. */
export async function deleteLesson({ lessons }: ControlApiServer, tenantId: string, name: string): Promise<void> {
  if (!(await lessons.remove(tenantId, name))) throw noLesson();
}

export async function lessonNamed(
  { lessons }: ControlApiServer,
  tenantId: string,
  name: string,
  version?: number,
): Promise<{ readonly facts: LessonFacts; readonly document: Lesson }> {
  const row = await lessons.find(tenantId, name, version);
  if (!row) throw noLesson();
  // It was checked when it was published; a later version of the service may have further fields.
  return { facts: row, document: JSON.parse(row.document) as Lesson };
}

function noLesson(): ControlError {
  return new ControlError(404, "not_found", "there is no such lesson, or no such version of it");
}

function describe({ name, version, title, steps, points, createdAtMs }: LessonFacts): LessonInfo {
  return { name, version, title, steps, points, createdAt: new Date(createdAtMs).toISOString() };
}
