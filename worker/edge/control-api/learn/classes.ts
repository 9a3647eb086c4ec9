// Classes: a teacher makes a link to a lesson, and whoever has it takes a seat under a name and has a run there, the same one on return.
import type { z } from "zod";
import { classLimits } from "../../../../shared/base/class-limits.ts";
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
import { requireRoom } from "../sandboxes.ts";
import type { ControlApiServer } from "../server.ts";
import { limitReached, standingOf } from "../tenancy/plans.ts";
import { learnerUrl } from "./learner.ts";

/** A token names what it opens, and carries the service's tag over that: it is told again, and an invented one asks nobody. */
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
  await requireRoom(controlApi);
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

/** Its link opens nothing from then on; runs live to their end. */
export async function deleteClass(
  { classes }: ControlApiServer,
  tenantId: string,
  lesson: string,
  id: string,
): Promise<void> {
  if (!(await classes.remove(tenantId, lesson, id))) throw noClass();
}

/** What whoever has the link is shown before they join. */
export async function lookAt(controlApi: ControlApiServer, asked: z.output<typeof lookAtClass>): Promise<ClassLook> {
  const found = await classOf(controlApi, asked.class);
  const { facts } = await lessonNamed(controlApi, found.tenantId, found.lesson);
  const seat = asked.learner === undefined ? undefined : await seatOf(controlApi, found, asked.learner);
  return {
    lesson: facts.title,
    title: found.title,
    seatsLeft: Math.max(0, found.seats - found.taken),
    expiresAt: time(found.expiresAtMs),
    ...(seat ? { name: seat.name } : {}),
  };
}

export async function join(controlApi: ControlApiServer, asked: z.output<typeof joinClass>): Promise<Joined> {
  const found = await classOf(controlApi, asked.class);
  const known = asked.learner === undefined ? undefined : await seatOf(controlApi, found, asked.learner);
  if (asked.learner !== undefined && !known) {
    const message = "the token is no learner's of this class: join with a name";
    throw new ControlError(404, "not_found", message, undefined, { credential: asked.learner });
  }
  const seat = known ?? (await newSeat(controlApi, found, asked.name ?? ""));
  try {
    const run = (await liveRun(controlApi, found, seat)) ?? (await newRun(controlApi, found, seat));
    const learner = await tokenOf(controlApi, "seat", seat.id);
    return { url: await learnerUrl(controlApi, run, []), learner, name: seat.name };
  } catch (error) {
    // Nobody has the token of the seat yet.
    if (!known) await controlApi.classes.removeSeat(seat.id);
    throw error;
  }
}

/** Throws 404 where the link is none, or is revoked; 403 where its tenant is suspended. */
async function classOf(controlApi: ControlApiServer, token: string): Promise<TakenClass> {
  const id = await idIn(controlApi, "class", token);
  const found = id === undefined ? undefined : await controlApi.classes.find(id);
  if (!found) throw noClass(token);
  // Why is not for learners to know.
  if ((await standingOf(controlApi, found.tenantId)).suspended !== "")
    throw new ControlError(403, "suspended", "whoever made this class is suspended");
  return found;
}

async function seatOf(controlApi: ControlApiServer, found: TakenClass, token: string): Promise<SeatRow | undefined> {
  const id = await idIn(controlApi, "seat", token);
  return id === undefined ? undefined : controlApi.classes.findSeat(found.id, id);
}

async function newSeat(controlApi: ControlApiServer, found: TakenClass, name: string): Promise<SeatRow> {
  const nowMs = controlApi.nowMs();
  await requireRoom(controlApi);
  const row = {
    id: `seat${randomText(idLength)}`,
    classId: found.id,
    name,
    nameKey: keyOfName(name),
    ...{ run: "", runs: 0, makingUntilMs: 0, createdAtMs: nowMs },
  };
  if (await controlApi.classes.takeSeat(row, nowMs)) return row;
  if (found.expiresAtMs <= nowMs) throw over();
  if (await controlApi.classes.hasName(found.id, row.nameKey)) {
    throw new ControlError(409, "name_taken", "somebody in the class is called so: add to the name", "name");
  }
  throw new ControlError(409, "class_full", `all ${found.seats} seats of the class are taken`);
}

/** What people do not tell names by is left out. */
function keyOfName(name: string): string {
  return name.normalize("NFKC").toLowerCase().replaceAll(/\s+/g, " ");
}

/** Also after the link's time: what was begun is brought to its end. */
async function liveRun(
  { lessons, nowMs }: ControlApiServer,
  { tenantId, lesson }: TakenClass,
  { run }: SeatRow,
): Promise<string | undefined> {
  const row = run === "" ? undefined : await lessons.findRun(tenantId, lesson, run);
  return row && row.expiresAtMs > nowMs() ? row.id : undefined;
}

async function newRun(controlApi: ControlApiServer, found: TakenClass, seat: SeatRow): Promise<string> {
  const { classes } = controlApi;
  const nowMs = controlApi.nowMs();
  if (found.expiresAtMs <= nowMs) throw over();
  const { runsOfSeat: most, makingMs } = classLimits;
  if (!(await classes.claim(seat, nowMs, nowMs + makingMs, most))) {
    if (seat.runs >= most) throw limitReached({ name: "runsOfSeat", limited: most, used: seat.runs, of: "class" });
    throw new ControlError(409, "busy", "the run is still being made: ask again");
  }
  let made: string | undefined;
  try {
    const asked = { learner: seat.name, version: undefined, resume: false, frameOrigins: [] };
    const { tenantId, lesson, id: classId } = found;
    made = (await startRun(controlApi, tenantId, lesson, asked, { classId })).run;
    return made;
  } finally {
    await classes.settle(seat.id, made);
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
  const [, id, given] = shape.exec(token) ?? [];
  if (id === undefined || given === undefined) return undefined;
  return (await isTag(controlApi.secret, purpose, id, given, tagLength)) ? id : undefined;
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
