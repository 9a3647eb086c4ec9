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
});

export type CreateClass = z.input<typeof createClass>;

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
  /** The name of the joined learner. Absent if the browser has no seat in this class. */
  name: z.string().optional(),
});

export type ClassLook = z.infer<typeof classLook>;

/** Body of `POST /v1/classes/join`: `learner` to return to a seat, or `name` for a new one. */
export const joinClass = lookAtClass
  .extend({ name: title.max(classLimits.nameCharacters).optional() })
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
