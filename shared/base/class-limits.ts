// Bounds of classes: learners who come to a lesson by one link, whoever they are.

const dayS = 24 * 3600;

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
