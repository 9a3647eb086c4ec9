// The control API's classes: one link to a lesson for all who are to do it. `/v1/lessons/{name}/classes` is for teachers, `/v1/classes` for
// whoever has the link.
import { z } from "zod";
import { classLimits } from "../../base/lesson-limits.ts";
import { title } from "../title.ts";

/** Body of `POST /v1/lessons/{name}/classes`. */
export const createClass = z.strictObject({
  /** For people: `7b, Tuesday`. */
  title,
  /** How many learners it may have. */
  seats: z.int().min(1).max(classLimits.seats).default(classLimits.seatsDefault),
  /** How long its link lets learners in. */
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
  /** Of them, how many are taken. */
  taken: z.int(),
  /** The link: whoever has it may take a seat. The token stands in its fragment. */
  url: z.url(),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
});

export type LessonClass = z.infer<typeof lessonClass>;

/** Answer of `GET`: the newest first. */
export const lessonClassList = z.object({ classes: z.array(lessonClass) });

export type LessonClassList = z.infer<typeof lessonClassList>;

const token = z.string().max(classLimits.tokenCharacters);

/** Body of `POST /v1/classes/look`. */
export const lookAtClass = z.strictObject({
  /** The token of the link: `sbj_...`. */
  class: token,
  /** What the browser was given when its learner joined: `sbc_...`. */
  learner: token.optional(),
});

/** What a link is about. */
export const classLook = z.object({
  /** The lesson's title and the class's. */
  lesson: z.string(),
  title: z.string(),
  seatsLeft: z.int(),
  expiresAt: z.iso.datetime(),
  /** The name that the learner joined with; absent: the browser is nobody's, or of another class. */
  name: z.string().optional(),
});

export type ClassLook = z.infer<typeof classLook>;

/** Body of `POST /v1/classes/join`: with `learner` as who joined before, else with `name` as somebody new. */
export const joinClass = lookAtClass
  .extend({ name: title.max(classLimits.nameCharacters).optional() })
  .refine(({ name, learner }) => (name === undefined) !== (learner === undefined), {
    path: ["name"],
    message: "give either the name of somebody new, or the token of who joined before",
  });

export type JoinClass = z.input<typeof joinClass>;

/** Answer (201). */
export const joined = z.object({
  /** The learner's page: of the run that they have, or of one that begins. */
  url: z.url(),
  /** For the browser to keep: it is the learner's seat. */
  learner: z.string(),
  name: z.string(),
});

export type Joined = z.infer<typeof joined>;
