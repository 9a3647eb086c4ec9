// The limits of lessons, runs, checks and images, with their units; a part of limits.ts.

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
  /**
   * The limits of a lesson: characters of its document, and of a folder's files together; files; steps; checks and actions of a step;
   * users.
   */
  lessonCharacters: 256 * 1024,
  lessonFiles: 100,
  lessonSteps: 30,
  lessonChecks: 20,
  lessonActions: 30,
  lessonUsers: 10,
  /** The clusters of an exam, each of which is a sandbox. */
  lessonClusters: 6,
  /** The characters of a title or name, of a hint or question, of a page, and of a check's expression. */
  lessonTitleCharacters: 120,
  lessonHintCharacters: 1_000,
  lessonPageCharacters: 32 * 1024,
  lessonExpressionCharacters: 4 * 1024,
  lessonAnswerCharacters: 4 * 1024,
  lessonPoints: 100,
  lessonMinutes: 120,
  lessonMinutesMax: 24 * 60,
  /** The versions of a tenant's lessons, their characters together, and the stored runs; the days after which runs are deleted. */
  lessonVersions: 200,
  lessonTenantCharacters: 16 * MiB,
  lessonRuns: 5_000,
  lessonRunDays: 180,
  /** The minimum milliseconds between two actions of a learner. */
  learnerPauseMs: 1_000,
  /** The limits of one check: objects, changes of the log, calls to containers and access reviews; and units of work. */
  checkObjects: 2_000,
  checkChanges: 5_000,
  checkQuestions: 10,
  checkDecisions: 100,
  /** The changes since the start of a step beyond which it is not graded. */
  gradedChanges: 100_000,
  checkNetworkWork: 50_000,
  /** The characters of a container's log, and of a response's body, that a check reads. */
  checkLogCharacters: 64 * 1024,
  checkBodyCharacters: 64 * 1024,
  /** The characters of a failing check's message. */
  checkMessageCharacters: 500,
} as const;

/** The limits of the questions, hints and tries of a step. */
export const questionLimits = {
  questions: 20,
  /** The options of a choice, the items of an order, and the gaps of a text; the characters of each. */
  options: 12,
  optionCharacters: 300,
  /** The characters of one part of an answer, and of all answers of a step together, which are stored in the row of the run. */
  answerCharacters: 1_000,
  stepAnswerCharacters: 8 * 1024,
  hints: 10,
  /** The tries of a step whose time and points are stored: the newest ones. */
  storedTries: 20,
  /** The minimum milliseconds between two automatic gradings of a cluster. */
  automaticPauseMs: 900,
} as const;

/** The limits of the record of a learner's terminal. */
export const recordingLimits = {
  /** The entries of a run (lines, and further output of a line), the characters of all of them, and the entries of one request. */
  commands: 4_000,
  runCharacters: MiB,
  commandsAtOnce: 20,
  lineCharacters: 2_000,
  /** The characters of output of one entry, and of all entries of a line. Past the latter, the middle is left out. */
  outputCharacters: 4_000,
  lineOutputCharacters: 32_000,
  tookMs: 3_600_000,
  /** The milliseconds between two requests of a page, the attempts to send one, and the entries that wait for it. */
  sendMs: 1_000,
  sendAttempts: 6,
  waitingCommands: 100,
  /** The bytes that a page sends while it closes; browsers allow 64 KiB. */
  closingBytes: 48 * 1024,
  /** The lines of one response. */
  page: 200,
  /** The teacher's lines that wait for the learner's page. */
  helpLines: 10,
} as const;

const dayS = 24 * 3600;

/** The limits of shared states. */
export const sharedStateLimits = {
  /** The shared states of a tenant. */
  shares: 100,
  /** The forks of one, in total and by one address within an hour. */
  forks: 1_000,
  forksDefault: 50,
  forksOfAddress: 20,
  /** The seconds for which a link gives forks, and those for which a fork lives. A snapshot lives 30 days. */
  ttlSecondsMax: 30 * dayS,
  forkSecondsMin: 600,
  forkSecondsMax: dayS,
  forkSecondsDefault: 3600,
} as const;

/** The limits of classes. */
export const classLimits = {
  /** The classes of a tenant. */
  classes: 100,
  /** The learners of a class, and the default. */
  seats: 500,
  seatsDefault: 40,
  /** The seconds for which a link accepts learners. */
  ttlSecondsMin: 600,
  ttlSecondsMax: 180 * dayS,
  ttlSecondsDefault: 7 * dayS,
  /** The characters of a learner's name. */
  nameCharacters: 60,
  /** The newest requests for extra time that a run and a class remember, so that a repeated one adds none. */
  timeKeys: 20,
  /** The milliseconds that a teacher can add to a run, and those for which a run can be paused. */
  extraMs: dayS * 1000,
  pauseMs: (dayS * 1000) / 2,
  /** The learners of a team. */
  teamSize: 8,
  /** The characters of an e-mail address, and the addresses of one request. */
  emailCharacters: 254,
  emails: 200,
  /** The messages that a learner sees: the newest ones. */
  messages: 20,
  messageCharacters: 1_000,
  /** The runs that one request of a teacher concerns: the newest ones. */
  runsAtOnce: 1_000,
  /** The runs of one learner, each of which begins after the previous one has expired. */
  runsOfSeat: 10,
  /** The milliseconds after which the creation of a run counts as failed. */
  makingMs: 60_000,
  /** The characters of a token of a link or learner. */
  tokenCharacters: 100,
} as const;
