// The way into a class: a learner with the link takes a seat under a name, alone or in a team, and returns to the same run.
import type * as z from "zod";
import { classLimits } from "../../../../shared/base/lesson-limits.ts";
import type { ClassLook, Joined, joinClass, lookAtClass } from "../../../../shared/contract/hosted/class.ts";
import type { SeatRow } from "../../db/learn/class-tables.ts";
import type { TakenClass } from "../../db/learn/classes.ts";
import { invalidField } from "../body.ts";
import { ControlError } from "../control-error.ts";
import { startRun } from "../lesson-runs.ts";
import { lessonNamed } from "../lessons.ts";
import { requireFreeSpace } from "../sandboxes.ts";
import type { ControlApiServer } from "../server.ts";
import { limitReached, standingOf } from "../tenancy/plans.ts";
import { idIn, noClass, tokenOf } from "./class-tokens.ts";
import { emptySeat, keyOfName } from "./classes.ts";
import { learnerUrl } from "./learner.ts";

/** Returns the class information for a person with the link who has not joined yet. */
export async function lookAt(controlApi: ControlApiServer, request: z.output<typeof lookAtClass>): Promise<ClassLook> {
  const taken = await classOf(controlApi, request.class);
  const { facts } = await lessonNamed(controlApi, taken.tenantId, taken.lesson);
  const seat = request.learner === undefined ? undefined : await seatOf(controlApi, taken, request.learner);
  const teams = taken.teamSize > 1 ? teamsOf(await controlApi.classes.listSeats(taken.id)) : [];
  return {
    lesson: facts.title,
    title: taken.title,
    seatsLeft: Math.max(0, taken.seats - taken.taken),
    expiresAt: new Date(taken.expiresAtMs).toISOString(),
    ...(taken.deadlineMs === 0 ? {} : { deadline: new Date(taken.deadlineMs).toISOString() }),
    listedOnly: taken.isListedOnly,
    teamSize: taken.teamSize,
    teams: teams.filter(({ members }) => members < taken.teamSize),
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
  if (taken.pausedMs > 0) throw new ControlError(409, "paused", "the teacher has paused the class");
  const seat = existingSeat ?? (await newSeat(controlApi, taken, request));
  try {
    const shared = await sharedSeat(controlApi, taken, seat);
    const run = (await liveRun(controlApi, taken, shared.leader)) ?? (await newRun(controlApi, taken, shared));
    if (shared.members.length > 0) await controlApi.teaching.setMembers(run, shared.members);
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

async function newSeat(
  controlApi: ControlApiServer,
  taken: TakenClass,
  { name = "", team }: z.output<typeof joinClass>,
): Promise<SeatRow> {
  const nowMs = controlApi.nowMs();
  if (taken.isListedOnly) throw new ControlError(403, "not_invited", "only learners with a reserved seat can join");
  await requireFreeSpace(controlApi);
  const row = { ...emptySeat(taken.id, name, nowMs), ...(await teamFor(controlApi, taken, team)) };
  if (await controlApi.classes.takeSeat(row, nowMs)) return row;
  if (taken.expiresAtMs <= nowMs) throw over();
  if (await controlApi.classes.hasName(taken.id, row.nameKey)) {
    throw new ControlError(409, "name_taken", "the name is taken in this class; choose another one", "name");
  }
  throw new ControlError(409, "class_full", `all ${taken.seats} seats of the class are taken`);
}

/** Returns the team of a new seat. A full team is refused; two learners at once may exceed its size by one. */
async function teamFor(controlApi: ControlApiServer, { id, teamSize }: TakenClass, team: string | undefined) {
  if (teamSize === 1) {
    if (team !== undefined) throw invalidField("team", "must be absent, because the class has no teams");
    return {};
  }
  if (team === undefined)
    throw invalidField("team", "must name a team: an existing one with a free place, or a new one");
  const teamKey = keyOfName(team);
  const members = (await controlApi.classes.listSeats(id)).filter((seat) => seat.teamKey === teamKey);
  if (members.length >= teamSize)
    throw new ControlError(409, "class_full", `the team has ${teamSize} learners`, "team");
  return { team: members[0]?.team ?? team, teamKey };
}

function teamsOf(seats: readonly SeatRow[]): ClassLook["teams"] {
  const named = seats.filter(({ team }) => team !== "");
  const names = [...new Set(named.map(({ team }) => team))];
  return names.map((name) => ({ name, members: named.filter(({ team }) => team === name).length }));
}

/** The seat whose run a learner shares: the oldest seat of the team, or the learner's own. */
interface SharedSeat {
  readonly leader: SeatRow;
  readonly learner: string;
  /** The names of the team; empty for one learner. */
  readonly members: readonly string[];
}

async function sharedSeat({ classes }: ControlApiServer, { id }: TakenClass, seat: SeatRow): Promise<SharedSeat> {
  if (seat.teamKey === "") return { leader: seat, learner: seat.name, members: [] };
  const team = (await classes.listSeats(id)).filter(({ teamKey }) => teamKey === seat.teamKey);
  return { leader: team[0] ?? seat, learner: seat.team, members: team.map(({ name }) => name) };
}

/**
 * Returns the live run of a seat, even after the link has expired, so that a learner can finish. An exam stays after its end, so that a learner
 * who returns sees the result and does not begin again.
 */
async function liveRun(
  { lessons, nowMs }: ControlApiServer,
  { tenantId, lesson }: TakenClass,
  { run }: SeatRow,
): Promise<string | undefined> {
  const row = run === "" ? undefined : await lessons.findRun(tenantId, lesson, run);
  return row && (row.isExam || row.expiresAtMs > nowMs()) ? row.id : undefined;
}

async function newRun(
  controlApi: ControlApiServer,
  taken: TakenClass,
  { leader, learner, members }: SharedSeat,
): Promise<string> {
  const { classes } = controlApi;
  const nowMs = controlApi.nowMs();
  if (taken.expiresAtMs <= nowMs) throw over();
  const { runsOfSeat: most, makingMs } = classLimits;
  if (!(await classes.claim(leader, nowMs, nowMs + makingMs, most))) {
    if (leader.runs >= most) throw limitReached({ name: "runsOfSeat", limited: most, used: leader.runs, of: "class" });
    throw new ControlError(409, "busy", "the run is still being made: ask again");
  }
  let createdRun: string | undefined;
  try {
    const runRequest = { learner, version: undefined, resume: false, frameOrigins: [] };
    const { tenantId, lesson, id: classId, deadlineMs, timeKeys } = taken;
    const seat = { members, email: leader.email, deadlineMs, timeKeys };
    createdRun = (await startRun(controlApi, tenantId, lesson, runRequest, { classId, seat })).run;
    return createdRun;
  } finally {
    await classes.settle(leader.id, createdRun);
  }
}

function over(): ControlError {
  return new ControlError(410, "expired", "the link's time is up: nobody new gets in");
}
