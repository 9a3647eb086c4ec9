// Classes of a teacher: a link to a lesson, its deadline, and its seats.
import type * as z from "zod";
import { classLimits } from "../../../../shared/base/lesson-limits.ts";
import type {
  createClass,
  LessonClass,
  LessonClassList,
  patchClass,
  reserveSeats,
  SeatList,
} from "../../../../shared/contract/hosted/class.ts";
import type { SeatRow } from "../../db/learn/class-tables.ts";
import type { ClassChange, TakenClass } from "../../db/learn/classes.ts";
import { randomText } from "../../mac.ts";
import { invalidField } from "../body.ts";
import { ControlError } from "../control-error.ts";
import { lessonNamed } from "../lessons.ts";
import { requireFreeSpace } from "../sandboxes.ts";
import type { ControlApiServer } from "../server.ts";
import { joinUrl, noClass } from "./class-tokens.ts";
import { applyDeadline } from "./run-time.ts";

const idLength = 20;

export interface ClassPlace {
  readonly tenantId: string;
  readonly lesson: string;
  readonly id: string;
}

export async function makeClass(
  controlApi: ControlApiServer,
  tenantId: string,
  lesson: string,
  { title, seats, ttlSeconds, deadline, teamSize, listedOnly }: z.output<typeof createClass>,
): Promise<LessonClass> {
  await lessonNamed(controlApi, tenantId, lesson);
  await requireFreeSpace(controlApi);
  const createdAtMs = controlApi.nowMs();
  const row = {
    id: `cls${randomText(idLength)}`,
    ...{ tenantId, lesson, title, seats, createdAtMs, teamSize, isListedOnly: listedOnly, pausedMs: 0, timeKeys: [] },
    expiresAtMs: createdAtMs + ttlSeconds * 1000,
    deadlineMs: deadlineIn(controlApi, deadline) ?? 0,
  };
  if (await controlApi.classes.add(row, classLimits.classes)) return describe(controlApi, { ...row, taken: 0 });
  const message = `there are ${classLimits.classes} classes, which is the most: delete some`;
  throw new ControlError(409, "too_many_classes", message);
}

export async function listClasses(
  controlApi: ControlApiServer,
  tenantId: string,
  lesson: string,
): Promise<LessonClassList> {
  await lessonNamed(controlApi, tenantId, lesson);
  const rows = await controlApi.classes.list(tenantId, lesson);
  return { classes: await Promise.all(rows.map((row) => describe(controlApi, row))) };
}

export async function getClass(controlApi: ControlApiServer, place: ClassPlace): Promise<LessonClass> {
  return describe(controlApi, await ownClass(controlApi, place));
}

/** Changes a class. A changed deadline moves the end of its live runs. */
export async function changeClass(
  controlApi: ControlApiServer,
  place: ClassPlace,
  { deadline, listedOnly, ...fields }: z.output<typeof patchClass>,
): Promise<LessonClass> {
  const before = await ownClass(controlApi, place);
  const deadlineMs = deadline === null ? 0 : deadlineIn(controlApi, deadline);
  const to: ClassChange = {
    ...fields,
    ...(listedOnly === undefined ? {} : { isListedOnly: listedOnly }),
    ...(deadlineMs === undefined ? {} : { deadlineMs }),
  };
  if (fields.seats !== undefined && fields.seats < before.taken)
    throw invalidField("seats", `must be at least ${before.taken}, the number of taken seats`);
  if (Object.keys(to).length > 0 && !(await controlApi.classes.change(place.tenantId, place.id, to))) throw noClass();
  const row = { ...before, ...to };
  if (deadlineMs !== undefined) await applyDeadline(controlApi, row);
  return describe(controlApi, row);
}

/** Deletes a class. Its link stops working; runs live until they expire. */
export async function deleteClass(
  { classes }: ControlApiServer,
  tenantId: string,
  lesson: string,
  id: string,
): Promise<void> {
  if (!(await classes.remove(tenantId, lesson, id))) throw noClass();
}

/** Reserves a seat for each address. An address that has one keeps it. */
export async function reserve(
  controlApi: ControlApiServer,
  place: ClassPlace,
  { emails }: z.output<typeof reserveSeats>,
): Promise<SeatList> {
  const { seats: most } = await ownClass(controlApi, place);
  const seats = await controlApi.classes.listSeats(place.id);
  const taken = new Set(seats.map(({ nameKey }) => nameKey));
  const missing = new Map(emails.map((email) => [keyOfName(email), email]));
  for (const key of taken) missing.delete(key);
  if (seats.length + missing.size > most) {
    const message = `the class has ${most} seats, of which ${most - seats.length} are free`;
    throw new ControlError(409, "class_full", message);
  }
  const rows = [...missing].map(([nameKey, email], at) => ({
    ...emptySeat(place.id, email, controlApi.nowMs() + at),
    ...{ nameKey, email },
  }));
  await controlApi.classes.reserveSeats(place.id, rows);
  return listSeats(controlApi, place);
}

export async function listSeats(controlApi: ControlApiServer, place: ClassPlace): Promise<SeatList> {
  await ownClass(controlApi, place);
  const rows = await controlApi.classes.listSeats(place.id);
  const seats = rows.map(async ({ id, name, email, team, run }) => {
    return { id, name, email, team, run, url: await joinUrl(controlApi, place.id, id) };
  });
  return { seats: await Promise.all(seats) };
}

export function emptySeat(classId: string, name: string, createdAtMs: number): SeatRow {
  const row = { id: `seat${randomText(idLength)}`, classId, name, nameKey: keyOfName(name), email: "" };
  return { ...row, ...{ team: "", teamKey: "", run: "", runs: 0, makingUntilMs: 0, createdAtMs } };
}

/** Normalizes differences that people do not use to distinguish names. */
export function keyOfName(name: string): string {
  return name.normalize("NFKC").toLowerCase().replaceAll(/\s+/g, " ");
}

async function ownClass(controlApi: ControlApiServer, { tenantId, lesson, id }: ClassPlace): Promise<TakenClass> {
  const row = await controlApi.classes.find(id);
  if (row?.tenantId !== tenantId || row.lesson !== lesson) throw noClass();
  return row;
}

function deadlineIn({ nowMs }: ControlApiServer, deadline: string | undefined): number | undefined {
  if (deadline === undefined) return undefined;
  const deadlineMs = Date.parse(deadline);
  if (deadlineMs <= nowMs()) throw invalidField("deadline", "must be in the future");
  if (deadlineMs > nowMs() + classLimits.ttlSecondsMax * 1000)
    throw invalidField("deadline", `must be at most ${classLimits.ttlSecondsMax / 86_400} days from now`);
  return deadlineMs;
}

async function describe(controlApi: ControlApiServer, row: TakenClass): Promise<LessonClass> {
  const { id, lesson, title, seats, taken, createdAtMs, expiresAtMs, deadlineMs, teamSize, isListedOnly } = row;
  return {
    ...{ id, lesson, title, seats, taken, teamSize, listedOnly: isListedOnly, paused: row.pausedMs > 0 },
    url: await joinUrl(controlApi, id),
    createdAt: new Date(createdAtMs).toISOString(),
    expiresAt: new Date(expiresAtMs).toISOString(),
    ...(deadlineMs === 0 ? {} : { deadline: new Date(deadlineMs).toISOString() }),
  };
}
