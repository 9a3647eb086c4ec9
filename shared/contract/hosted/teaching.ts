// The control API's requests of a teacher about many runs: messages, extra time and pauses; and the learner's terminal.
import * as z from "zod";
import { classLimits, recordingLimits } from "../../base/lesson-limits.ts";

/** The runs of a request: one run, those of a class, or all live runs of the lesson. */
const which = {
  run: z.string().max(classLimits.tokenCharacters).optional(),
  class: z.string().max(classLimits.tokenCharacters).optional(),
};

const onlyOne = { path: ["class"], message: "must be absent with a run" };

function hasOne({ run, class: classId }: { readonly run?: string | undefined; readonly class?: string | undefined }) {
  return run === undefined || classId === undefined;
}

/** Body of `POST /v1/lessons/{name}/messages`. */
export const sendMessage = z
  .strictObject({ ...which, text: z.string().trim().min(1).max(classLimits.messageCharacters) })
  .refine(hasOne, onlyOne);

/** Body of `POST /v1/lessons/{name}/time`. */
export const addTime = z
  .strictObject({
    ...which,
    minutes: z
      .int()
      .min(1)
      .max(classLimits.extraMs / 60_000),
  })
  .refine(hasOne, onlyOne);

/** Body of `POST /v1/lessons/{name}/pause`. */
export const pauseRuns = z.strictObject({ ...which, paused: z.boolean() }).refine(hasOne, onlyOne);

/** The number of runs that a request concerned, and those that could not be changed. */
export const reached = z.object({ runs: z.int(), failed: z.array(z.string()) });

export type SendMessage = z.infer<typeof sendMessage>;
export type AddTime = z.infer<typeof addTime>;
export type PauseRuns = z.infer<typeof pauseRuns>;
export type Reached = z.infer<typeof reached>;

/** A line that was run in the learner's terminal. */
const command = {
  at: z.iso.datetime(),
  line: z.string().min(1).max(recordingLimits.lineCharacters),
  /** The end of the output. */
  output: z.string().max(recordingLimits.outputCharacters),
  exitCode: z.int().min(0).max(255),
  tookMs: z.int().min(0).max(recordingLimits.tookMs),
};

/** Body of `POST /v1/learn/commands`. */
export const recordCommands = z.strictObject({
  commands: z.array(z.strictObject(command)).min(1).max(recordingLimits.commandsAtOnce),
});

export type RecordCommands = z.infer<typeof recordCommands>;

export const commandsQuery = z.strictObject({
  after: z.coerce.number().int().min(0).optional().describe("The number of the last known line."),
});

/** Response of `GET .../runs/{run}/commands`, the oldest first. */
export const commandList = z.object({
  commands: z.array(z.object({ seq: z.int(), ...command })),
  /** True if there are further lines. */
  hasMore: z.boolean(),
});

export type CommandList = z.infer<typeof commandList>;

/** Body of `POST .../runs/{run}/help`: asks to join the terminal, runs a line in it, or leaves it. */
export const helpLearner = z.strictObject({
  state: z.enum(["asked", "none"]).optional(),
  line: z.string().trim().min(1).max(recordingLimits.lineCharacters).optional(),
});

export type HelpLearner = z.infer<typeof helpLearner>;

/** Body of `POST /v1/learn/help`: the learner's consent, or its end. */
export const consentToHelp = z.strictObject({ joined: z.boolean() });

export const comparisonQuery = z.strictObject({
  class: z.string().max(classLimits.tokenCharacters).optional(),
});

/** Response of `GET .../comparison`: pairs of runs with unusually much in common. It is a hint to look closer, never a verdict. */
export const comparison = z.object({
  pairs: z.array(
    z.object({
      runs: z.array(z.object({ run: z.string(), learner: z.string() })),
      /** From 0 to 1, the most similar pair first. */
      similarity: z.number(),
      /** The lines and answers that both have and few others have. */
      shared: z.array(z.string()),
    }),
  ),
  /** The number of compared runs. */
  compared: z.int(),
});

export type Comparison = z.infer<typeof comparison>;
