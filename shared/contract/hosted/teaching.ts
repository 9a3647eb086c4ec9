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

/** An id that a client draws at random. */
const randomId = z.string().regex(/^[\w-]{8,64}$/);

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
    key: randomId
      .optional()
      .describe("A random key of the request. A repeated request with the same key adds no time to runs that have it."),
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

/** An entry of the record of the learner's terminal: a line with its output, or further output of a line. */
const command = {
  at: z.iso.datetime().describe("When the line was entered."),
  line: z.string().max(recordingLimits.lineCharacters).describe("The line; empty for further output of a line."),
  output: z.string().max(recordingLimits.outputCharacters),
  exitCode: z.int().min(0).max(255).optional().describe("Absent while the line runs."),
  tookMs: z.int().min(0).max(recordingLimits.tookMs).describe("From `at` to the end of this output."),
};

const ofPage = {
  seq: z.int().min(1).optional().describe("The number of the entry among those of the page."),
  number: z.int().min(1).optional().describe("The number of the line among those of the page."),
};

/**
 * Body of `POST /v1/learn/commands`. A page that sends output while a line runs names itself and numbers its entries, so that a repeated
 * request stores them once. Without `page`, each entry is a line that has ended.
 */
export const recordCommands = z
  .strictObject({
    page: randomId.optional(),
    commands: z
      .array(z.strictObject({ ...command, ...ofPage }))
      .min(1)
      .max(recordingLimits.commandsAtOnce),
  })
  .refine(
    ({ page, commands }) =>
      commands.every(({ line, exitCode, seq, number }) =>
        page === undefined
          ? line !== "" && exitCode !== undefined && seq === undefined && number === undefined
          : seq !== undefined && number !== undefined,
      ),
    { path: ["commands"], message: "must be numbered with `page`, and lines that have ended without it" },
  );

export type RecordCommands = z.infer<typeof recordCommands>;

export const commandsQuery = z.strictObject({
  after: z.coerce.number().int().min(0).optional().describe("The number of the last known line."),
});

/** Response of `GET .../runs/{run}/commands`, the oldest first. */
export const commandList = z.object({
  commands: z.array(
    z.object({
      seq: z.int(),
      ...command,
      page: z.string().describe("The page that recorded the entry, or empty."),
      number: z.int().describe("The number of the line among those of its page; 0 without a page."),
    }),
  ),
  /** True if there are further entries. */
  hasMore: z.boolean(),
  /** True if the record has reached its bound, so that later lines are missing. */
  isFull: z.boolean(),
});

export type CommandList = z.infer<typeof commandList>;

/** Body of `POST .../runs/{run}/help`: asks to join the terminal, runs a line in it, interrupts it, or leaves it. */
export const helpLearner = z.strictObject({
  state: z.enum(["asked", "none"]).optional(),
  line: z.string().trim().min(1).max(recordingLimits.lineCharacters).optional(),
  interrupt: z.literal(true).optional().describe("Presses Ctrl-C in the terminal."),
});

export type HelpLearner = z.infer<typeof helpLearner>;

/** Body of `POST /v1/learn/help`: the learner's consent for a terminal, or its end. */
export const consentToHelp = z
  .strictObject({
    joined: z.boolean(),
    terminal: randomId.optional().describe("The terminal in which the teacher's lines run. With `joined` alone."),
  })
  .refine(({ joined, terminal }) => joined === (terminal !== undefined), {
    path: ["terminal"],
    message: "must name the terminal if `joined` is true, and be absent otherwise",
  });

/** Body of `POST /v1/learn/help/lines`: the terminal with the consent takes the teacher's lines up to a number, before it runs them. */
export const takeHelpLines = z.strictObject({ terminal: randomId, upTo: z.int().min(1) });

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
