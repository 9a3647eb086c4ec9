// The control API's classes: a link to a lesson for many learners. `/v1/lessons/{name}/classes` is for teachers, `/v1/classes` for learners
// with a link.
import * as z from "zod";
import { classLimits } from "../../base/lesson-limits.ts";
import { title } from "../title.ts";
import { nextCursor } from "./list.ts";

/** Body of `POST /v1/lessons/{name}/classes`. */
export const createClass = z.strictObject({
  /** The title for people: `7b, Tuesday`. */
  title,
  /** The maximum number of learners. */
  seats: z.int().min(1).max(classLimits.seats).default(classLimits.seatsDefault),
  /** The time in which the link accepts learners. */
  ttlSeconds: z
    .int()
    .min(classLimits.ttlSecondsMin)
    .max(classLimits.ttlSecondsMax)
    .default(classLimits.ttlSecondsDefault),
  /** The time at which all runs of the class end. Absent: each run ends after the lesson's time limit. */
  deadline: z.iso.datetime().optional(),
  /** The number of learners who share a sandbox. */
  teamSize: z.int().min(1).max(classLimits.teamSize).default(1),
  /** True if only learners with a reserved seat can join. */
  listedOnly: z.boolean().default(false),
});

export type CreateClass = z.input<typeof createClass>;

/** Body of `PATCH .../classes/{class}`. `deadline: null` removes it. Changed deadlines apply to running learners too. */
export const patchClass = z.strictObject({
  title: title.optional(),
  seats: createClass.shape.seats.unwrap().optional(),
  deadline: z.iso.datetime().nullable().optional(),
  listedOnly: z.boolean().optional(),
});

export type PatchClass = z.infer<typeof patchClass>;

const email = z
  .string()
  .trim()
  .max(classLimits.emailCharacters)
  .regex(/^[^\s@<>",;]+@[^\s@<>",;]+$/, "must be an e-mail address");

/** Body of `POST .../classes/{class}/seats`. */
export const reserveSeats = z.strictObject({ emails: z.array(email).min(1).max(classLimits.emails) });

export type ReserveSeats = z.infer<typeof reserveSeats>;

/** A seat. `url` is the learner's own link, which authenticates its holder. */
const seat = z.object({
  id: z.string(),
  name: z.string(),
  email: z.string(),
  team: z.string(),
  /** The newest run, or empty. */
  run: z.string(),
  url: z.url(),
});

/** Response of `POST` and `GET .../seats`, in the order of their creation. */
export const seatList = z.object({ seats: z.array(seat), nextCursor });

export type SeatList = z.infer<typeof seatList>;

export const lessonClass = z.object({
  id: z.string(),
  lesson: z.string(),
  title: z.string(),
  seats: z.int(),
  /** The number of taken seats. */
  taken: z.int(),
  /** The link, with the token in its fragment. Its holder can take a seat. */
  url: z.url(),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
  deadline: z.iso.datetime().optional(),
  teamSize: z.int(),
  listedOnly: z.boolean(),
  paused: z.boolean(),
});

export type LessonClass = z.infer<typeof lessonClass>;

/** Response of `GET`, the newest first. */
export const lessonClassList = z.object({ classes: z.array(lessonClass), nextCursor });

export type LessonClassList = z.infer<typeof lessonClassList>;

const token = z.string().max(classLimits.tokenCharacters);

/** Body of `POST /v1/classes/look`. */
export const lookAtClass = z.strictObject({
  /** The token of the link: `sbj_...`. */
  class: token,
  /** The token that the browser received when its learner joined: `sbc_...`. */
  learner: token.optional(),
});

/** The description of a class for a person with the link. */
export const classLook = z.object({
  /** The lesson's title and the class's. */
  lesson: z.string(),
  title: z.string(),
  seatsLeft: z.int(),
  expiresAt: z.iso.datetime(),
  deadline: z.iso.datetime().optional(),
  /** True if only learners with a reserved seat can join. */
  listedOnly: z.boolean(),
  teamSize: z.int(),
  /** The teams with free places, if learners share sandboxes. */
  teams: z.array(z.object({ name: z.string(), members: z.int() })),
  /** The name of the joined learner. Absent if the browser has no seat in this class. */
  name: z.string().optional(),
});

export type ClassLook = z.infer<typeof classLook>;

/** Body of `POST /v1/classes/join`: `learner` to return to a seat, or `name` for a new one. */
export const joinClass = lookAtClass
  .extend({
    name: title.max(classLimits.nameCharacters).optional(),
    /** The team, in a class whose learners share sandboxes: an existing one with a free place, or a new one. */
    team: title.max(classLimits.nameCharacters).optional(),
  })
  .refine(({ name, learner }) => (name === undefined) !== (learner === undefined), {
    path: ["name"],
    message: "give either the name of somebody new, or the token of who joined before",
  });

/** Response with status 201. */
export const joined = z.object({
  /** The learner's page of their run, or of a new one. */
  url: z.url(),
  /** The token of the seat, which the browser stores. */
  learner: z.string(),
  name: z.string(),
});

export type Joined = z.infer<typeof joined>;
