// Every bound of lessons, their runs and their checks, and of the images that they and sandboxes define, each with its unit. Among the
// service's others in limits.ts.

const MiB = 1024 * 1024;

const imageLimits = {
  /** Images of a list, and the bytes of all of them as JSON: they stand in one row beside the other settings, which holds 2 MB. */
  imageDefinitions: 20,
  imageBytes: (3 * MiB) / 8,
  /** Files of an image, and the bytes of one: each start of a container copies them. */
  imageFiles: 500,
  imageFileBytes: MiB / 8,
  /** Characters and parts of a path; Linux holds 4,096 characters. */
  imagePathCharacters: 1_024,
  imagePathParts: 32,
  /** Characters of a reference, as registries bound them, and tags of an image. */
  imageReferenceCharacters: 255,
  imageTags: 20,
  /** Characters of names (of users, variables, headers and programs) and of values. */
  imageNameCharacters: 128,
  imageValueCharacters: 8 * 1024,
  /** Entries of the lists of an image. */
  imageWords: 100,
  imagePackages: 100,
  imageVariables: 100,
  imageUsers: 20,
  imagePorts: 20,
  /** Responses of an image, their headers, the characters of a method, and the milliseconds of a delay. */
  imageResponses: 100,
  imageHeaders: 20,
  imageMethodCharacters: 16,
  imageDelayMsMax: 600_000,
} as const;

export const lessonLimits = {
  ...imageLimits,
  /** Of a lesson: characters of it as one document, and of a folder's files together; files; steps; checks and actions of a step; users. */
  lessonCharacters: 256 * 1024,
  lessonFiles: 100,
  lessonSteps: 30,
  lessonChecks: 20,
  lessonActions: 30,
  lessonUsers: 10,
  /** Characters of a title or a name, of a hint or a question, of a page, and of a check's expression. */
  lessonTitleCharacters: 120,
  lessonHintCharacters: 1_000,
  lessonPageCharacters: 32 * 1024,
  lessonExpressionCharacters: 4 * 1024,
  lessonAnswerCharacters: 4 * 1024,
  lessonPoints: 100,
  lessonMinutes: 120,
  lessonMinutesMax: 24 * 60,
  /** Versions of lessons of a tenant, their characters together, and runs that have not been forgotten; days after which they are. */
  lessonVersions: 200,
  lessonTenantCharacters: 16 * MiB,
  lessonRuns: 5_000,
  lessonRunDays: 180,
  /** Milliseconds between two things that a learner does in a run. */
  learnerPauseMs: 1_000,
  /** What one check may look at: objects, changes of the log, questions to containers and about rights; and units of work of the former. */
  checkObjects: 2_000,
  checkChanges: 5_000,
  checkQuestions: 10,
  checkDecisions: 100,
  /** Changes of a cluster since a step began, past which it is not graded any more. */
  gradedChanges: 100_000,
  checkNetworkWork: 50_000,
  checkLogCharacters: 64 * 1024,
  /** Characters of what a failing check says of itself. */
  checkMessageCharacters: 500,
} as const;

const dayS = 24 * 3600;

/** Bounds of classes: learners who come to a lesson by one link. */
export const classLimits = {
  /** Classes of a tenant. */
  classes: 100,
  /** Learners of one, and how many they are where nobody says. */
  seats: 500,
  seatsDefault: 40,
  /** Seconds for which a link lets learners in. */
  ttlSecondsMin: 600,
  ttlSecondsMax: 180 * dayS,
  ttlSecondsDefault: 7 * dayS,
  /** Characters of a learner's name. */
  nameCharacters: 60,
  /** Runs of one learner, one after another: each begins when the time of the one before is up. */
  runsOfSeat: 10,
  /** Milliseconds after which the making of a run is taken to have failed. */
  makingMs: 60_000,
  /** Characters of a token of a link or of a learner. */
  tokenCharacters: 100,
} as const;
