// Classes: a teacher creates a link to a lesson. A learner with the link takes a seat under a name and returns to the same run.
import type * as z from "zod";
import { classLimits } from "../../../../shared/base/lesson-limits.ts";
import type {
  ClassLook,
  createClass,
  Joined,
  joinClass,
  LessonClass,
  LessonClassList,
  lookAtClass,
} from "../../../../shared/contract/hosted/class.ts";
import type { SeatRow } from "../../db/class-tables.ts";
import type { TakenClass } from "../../db/classes.ts";
import { isTag, randomText, tag } from "../../mac.ts";
import { ControlError } from "../control-error.ts";
import { startRun } from "../lesson-runs.ts";
import { lessonNamed } from "../lessons.ts";
import { requireFreeSpace } from "../sandboxes.ts";
import type { ControlApiServer } from "../server.ts";
import { limitReached, standingOf } from "../tenancy/plans.ts";
import { learnerUrl } from "./learner.ts";

/**
 * A token contains the id of a class or seat and an HMAC over it. It can be derived again, and a forged one is rejected without a query.
 */
const kinds = {
  class: { prefix: "sbj_", purpose: "class", shape: /^sbj_(cls[a-z2-7]{20})_([a-z2-7]{51})$/ },
  seat: { prefix: "sbc_", purpose: "class-seat", shape: /^sbc_(seat[a-z2-7]{20})_([a-z2-7]{51})$/ },
} as const;
const tagLength = 51;
const idLength = 20;

export async function makeClass(
  controlApi: ControlApiServer,
  tenantId: string,
  lesson: string,
  { title, seats, ttlSeconds }: z.output<typeof createClass>,
): Promise<LessonClass> {
  await lessonNamed(controlApi, tenantId, lesson);
  await requireFreeSpace(controlApi);
  const createdAtMs = controlApi.nowMs();
  const id = `cls${randomText(idLength)}`;
  const row = { id, tenantId, lesson, title, seats, createdAtMs, expiresAtMs: createdAtMs + ttlSeconds * 1000 };
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

/** Deletes a class. Its link stops working; runs live until they expire. */
export async function deleteClass(
  { classes }: ControlApiServer,
  tenantId: string,
  lesson: string,
  id: string,
): Promise<void> {
  if (!(await classes.remove(tenantId, lesson, id))) throw noClass();
}

/** Returns the class information for a person with the link who has not joined yet. */
export async function lookAt(controlApi: ControlApiServer, request: z.output<typeof lookAtClass>): Promise<ClassLook> {
  const taken = await classOf(controlApi, request.class);
  const { facts } = await lessonNamed(controlApi, taken.tenantId, taken.lesson);
  const seat = request.learner === undefined ? undefined : await seatOf(controlApi, taken, request.learner);
  return {
    lesson: facts.title,
    title: taken.title,
    seatsLeft: Math.max(0, taken.seats - taken.taken),
    expiresAt: time(taken.expiresAtMs),
    ...(seat ? { name: seat.name } : {}),
  };
}

export async function join(controlApi: ControlApiServer, request: z.output<typeof joinClass>): Promise<Joined> {
  const taken = await classOf(controlApi, request.class);
  const existingSeat = request.learner === undefined ? undefined : await seatOf(controlApi, taken, request.learner);
  if (request.learner !== undefined && !existingSeat) {
    const message = "the learner token does not belong to this class; join with a name";
    throw new ControlError(404, "not_found", message, undefined, { credential: request.learner });
  }
  const seat = existingSeat ?? (await newSeat(controlApi, taken, request.name ?? ""));
  try {
    const run = (await liveRun(controlApi, taken, seat)) ?? (await newRun(controlApi, taken, seat));
    const learner = await tokenOf(controlApi, "seat", seat.id);
    return { url: await learnerUrl(controlApi, run, []), learner, name: seat.name };
  } catch (error) {
    // The learner has not received the token of the new seat.
    if (!existingSeat) await controlApi.classes.removeSeat(seat.id);
    throw error;
  }
}

/** Throws 404 if the link is invalid or revoked, and 403 if the tenant is suspended. */
async function classOf(controlApi: ControlApiServer, token: string): Promise<TakenClass> {
  const id = await idIn(controlApi, "class", token);
  const taken = id === undefined ? undefined : await controlApi.classes.find(id);
  if (!taken) throw noClass(token);
  // Learners are not told the reason of the suspension.
  if ((await standingOf(controlApi, taken.tenantId)).suspended !== "")
    throw new ControlError(403, "suspended", "the organization that created this class is suspended");
  return taken;
}

async function seatOf(controlApi: ControlApiServer, taken: TakenClass, token: string): Promise<SeatRow | undefined> {
  const id = await idIn(controlApi, "seat", token);
  return id === undefined ? undefined : controlApi.classes.findSeat(taken.id, id);
}

async function newSeat(controlApi: ControlApiServer, taken: TakenClass, name: string): Promise<SeatRow> {
  const nowMs = controlApi.nowMs();
  await requireFreeSpace(controlApi);
  const row = {
    id: `seat${randomText(idLength)}`,
    classId: taken.id,
    name,
    nameKey: keyOfName(name),
    ...{ run: "", runs: 0, makingUntilMs: 0, createdAtMs: nowMs },
  };
  if (await controlApi.classes.takeSeat(row, nowMs)) return row;
  if (taken.expiresAtMs <= nowMs) throw over();
  if (await controlApi.classes.hasName(taken.id, row.nameKey)) {
    throw new ControlError(409, "name_taken", "the name is taken in this class; choose another one", "name");
  }
  throw new ControlError(409, "class_full", `all ${taken.seats} seats of the class are taken`);
}

/** Normalizes differences that people do not use to distinguish names. */
function keyOfName(name: string): string {
  return name.normalize("NFKC").toLowerCase().replaceAll(/\s+/g, " ");
}

/** Returns the live run of a seat, even after the link has expired, so that a learner can finish. */
async function liveRun(
  { lessons, nowMs }: ControlApiServer,
  { tenantId, lesson }: TakenClass,
  { run }: SeatRow,
): Promise<string | undefined> {
  const row = run === "" ? undefined : await lessons.findRun(tenantId, lesson, run);
  return row && row.expiresAtMs > nowMs() ? row.id : undefined;
}

async function newRun(controlApi: ControlApiServer, taken: TakenClass, seat: SeatRow): Promise<string> {
  const { classes } = controlApi;
  const nowMs = controlApi.nowMs();
  if (taken.expiresAtMs <= nowMs) throw over();
  const { runsOfSeat: most, makingMs } = classLimits;
  if (!(await classes.claim(seat, nowMs, nowMs + makingMs, most))) {
    if (seat.runs >= most) throw limitReached({ name: "runsOfSeat", limited: most, used: seat.runs, of: "class" });
    throw new ControlError(409, "busy", "the run is still being made: ask again");
  }
  let createdRun: string | undefined;
  try {
    const runRequest = { learner: seat.name, version: undefined, resume: false, frameOrigins: [] };
    const { tenantId, lesson, id: classId } = taken;
    createdRun = (await startRun(controlApi, tenantId, lesson, runRequest, { classId })).run;
    return createdRun;
  } finally {
    await classes.settle(seat.id, createdRun);
  }
}

async function describe(controlApi: ControlApiServer, row: TakenClass): Promise<LessonClass> {
  const { id, lesson, title, seats, taken, createdAtMs, expiresAtMs } = row;
  const url = `${controlApi.console}/learn/join#${await tokenOf(controlApi, "class", id)}`;
  return { id, lesson, title, seats, taken, url, createdAt: time(createdAtMs), expiresAt: time(expiresAtMs) };
}

async function tokenOf({ secret }: ControlApiServer, kind: keyof typeof kinds, id: string): Promise<string> {
  const { prefix, purpose } = kinds[kind];
  return `${prefix}${id}_${await tag(secret, purpose, id, tagLength)}`;
}

async function idIn(controlApi: ControlApiServer, kind: keyof typeof kinds, token: string) {
  const { shape, purpose } = kinds[kind];
  const [, id, mac] = shape.exec(token) ?? [];
  if (id === undefined || mac === undefined) return undefined;
  return (await isTag(controlApi.secret, purpose, id, mac, tagLength)) ? id : undefined;
}

function noClass(token?: string): ControlError {
  const message = "there is no such class, or its link was revoked";
  return new ControlError(404, "not_found", message, undefined, token === undefined ? {} : { credential: token });
}

function over(): ControlError {
  return new ControlError(410, "expired", "the link's time is up: nobody new gets in");
}

function time(ms: number): string {
  return new Date(ms).toISOString();
}
