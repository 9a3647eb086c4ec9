// Lessons: publish, find, list and delete. A version is a row that never changes.
import type * as z from "zod";
import { limits } from "../../../shared/base/limits.ts";
import type { LessonInfo, LessonList, LessonVersionList, LessonWithDocument } from "../../../shared/contract/lesson.ts";
import { allPointsOf, expressionProblems, type Lesson, type lesson } from "../../../shared/lesson/lesson.ts";
import type { LessonFacts } from "../db/lessons.ts";
import { invalidField } from "./body.ts";
import { ControlError } from "./control-error.ts";
import { requireFreeSpace } from "./sandboxes.ts";
import type { ControlApiServer } from "./server.ts";
import { getTemplate } from "./templates/templates.ts";

/** Publishes the next version. If the document equals the newest version, returns that version. */
export async function publishLesson(
  controlApi: ControlApiServer,
  tenantId: string,
  newLesson: z.output<typeof lesson>,
): Promise<LessonInfo> {
  await requireFreeSpace(controlApi);
  const { lessons } = controlApi;
  const pinnedLesson = await pinTemplates(controlApi, tenantId, newLesson);
  const document = JSON.stringify(pinnedLesson);
  const characters = document.length;
  if (characters > limits.lessonCharacters) {
    throw new ControlError(413, "too_large", `a lesson must not exceed ${limits.lessonCharacters} characters of JSON`);
  }
  for (const { path, line, column, message } of expressionProblems(pinnedLesson)) {
    throw invalidField(path.join("."), `${line}:${column}: ${message}`);
  }
  const newest = await lessons.find(tenantId, pinnedLesson.name);
  if (newest?.document === document) return describe(newest);
  const stored = await lessons.storedSize(tenantId);
  if (stored.versions >= limits.lessonVersions || stored.characters + characters > limits.lessonTenantCharacters) {
    const most = `${limits.lessonVersions} versions of lessons, or ${limits.lessonTenantCharacters} characters in them`;
    throw new ControlError(409, "too_many_lessons", `there are ${most}, which is the most: delete some`);
  }
  const row = {
    tenantId,
    name: pinnedLesson.name,
    version: (newest?.version ?? 0) + 1,
    title: pinnedLesson.title,
    steps: pinnedLesson.steps.length,
    points: allPointsOf(pinnedLesson),
    document,
    characters,
    createdAtMs: controlApi.nowMs(),
  };
  if (await lessons.add(row)) return describe(row);
  throw new ControlError(409, "busy", "another version was published meanwhile: publish again");
}

/** Pins the versions of templates, because the content of a lesson's version never changes. */
async function pinTemplates(
  controlApi: ControlApiServer,
  tenantId: string,
  document: z.output<typeof lesson>,
): Promise<z.output<typeof lesson>> {
  const pin = async (template: string, field: string) => {
    try {
      return (await getTemplate(controlApi, tenantId, template)).ref;
    } catch (error) {
      if (!(error instanceof ControlError) || error.status !== 404) throw error;
      throw invalidField(field, "is not there: neither a template of yours nor one that is built in");
    }
  };
  const { template, clusters } = document;
  if (template !== undefined) return { ...document, template: await pin(template, "template") };
  if (!clusters) return document;
  const pinned = clusters.map(async (cluster, at) =>
    cluster.template === undefined
      ? cluster
      : { ...cluster, template: await pin(cluster.template, `clusters.${at}.template`) },
  );
  return { ...document, clusters: await Promise.all(pinned) };
}

export async function listLessons({ lessons }: ControlApiServer, tenantId: string): Promise<LessonList> {
  return { lessons: (await lessons.list(tenantId)).map(describe) };
}

export async function listVersions(
  { lessons }: ControlApiServer,
  tenantId: string,
  name: string,
): Promise<LessonVersionList> {
  const versions = (await lessons.versions(tenantId, name)).map(describe);
  if (versions.length === 0) throw noLesson();
  return { versions };
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

/** Deletes a lesson with all versions and results. Sandboxes of its runs live until they expire. */
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
  // The document was validated when it was published; a later version of the service may have added fields.
  return { facts: row, document: JSON.parse(row.document) as Lesson };
}

function noLesson(): ControlError {
  return new ControlError(404, "not_found", "there is no such lesson, or no such version of it");
}

function describe({ name, version, title, steps, points, createdAtMs }: LessonFacts): LessonInfo {
  return { name, version, title, steps, points, createdAt: new Date(createdAtMs).toISOString() };
}
