// Bounds of LTI: what platforms (learning management systems), their people's browsers and their answers may bring.

const dayMs = 24 * 3600 * 1000;

export const ltiLimits = {
  /** Platforms of a tenant, deployments of one, characters of an id, of an address and of a name. */
  platforms: 50,
  deployments: 100,
  idCharacters: 255,
  urlCharacters: 2_000,
  nameCharacters: 120,
  /** Bytes of a form that a browser posts. Canvas and Moodle sign launches of 3 to 6 KiB. */
  formBytes: 128 * 1024,
  /** Characters of a login's hints, which are sent back to the platform in an address. */
  hintCharacters: 8 * 1024,
  /** Milliseconds from a login to its launch: people sign in to the platform in between. */
  loginMs: 10 * 60_000,
  /** Seconds by which the clocks of platforms may differ from this one, and that an id token is young enough for. */
  clockSeconds: 60,
  tokenSeconds: 600,
  /** Roles and custom parameters of a launch that are looked at. */
  roles: 100,
  roleCharacters: 300,
  /** Bytes of what a platform answers (keys, tokens, members), and milliseconds until it must have. */
  answerBytes: 512 * 1024,
  answerMs: 10_000,
  /** Keys of a platform; milliseconds for which they are remembered, between two looks for one that is not among them, and after a failure. */
  keys: 100,
  keysMs: 10 * 60_000,
  keysPauseMs: 30_000,
  keysRetryMs: 5_000,
  rememberedKeySets: 200,
  /** Access tokens that are remembered, characters of one, and milliseconds before its end at which another is asked for. */
  rememberedTokens: 200,
  tokenCharacters: 16 * 1024,
  tokenMarginMs: 30_000,
  /** Members of a course that a board names, and pages of them that are asked for. */
  members: 2_000,
  memberPages: 10,
  /** Learners of a board's table. */
  boardRows: 500,
  /** Learners of a tenant that are known by a launch, and days after the last one that they are forgotten. */
  learners: 20_000,
  learnerDays: 180,
  /** Lessons that a teacher chooses from. */
  chosenLessons: 200,
  /** Milliseconds for which a page that a launch has opened may be used, and a link by which a platform registers. */
  pageMs: 4 * 3600_000,
  registrationMs: dayMs,
  /** Characters of what a platform wants back with a chosen lesson. */
  dataCharacters: 16 * 1024,
  /**
   * Milliseconds after which a key signs that was made then, so that platforms have seen it; for which it does, and for which it is told
   * afterwards: longer than a score is tried again.
   */
  keyNewMs: dayMs,
  keySignsMs: 90 * dayMs,
  keyToldMs: 5 * dayMs,
  /** Tenants that get a new key in one scheduled run. */
  keysRotated: 100,
  /** Seconds for which a signed request for an access token, or a chosen lesson, is good. */
  signedSeconds: 300,
} as const;
