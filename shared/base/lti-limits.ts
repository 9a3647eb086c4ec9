// The limits of LTI: of platforms (learning management systems), their users' browsers and their responses.

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
  /** The characters of a login's hints, which are returned to the platform in a URL. */
  hintCharacters: 8 * 1024,
  /** Milliseconds from a login to its launch: people sign in to the platform in between. */
  loginMs: 10 * 60_000,
  /** The seconds by which the clocks of platforms may differ, and the maximum age of an id token. */
  clockSeconds: 60,
  tokenSeconds: 600,
  /** Roles and custom parameters of a launch that are looked at. */
  roles: 100,
  roleCharacters: 300,
  /** Bytes of what a platform answers (keys, tokens, members), and milliseconds until it must have. */
  answerBytes: 512 * 1024,
  answerMs: 10_000,
  /** The keys of a platform; the milliseconds for which they are cached, between two fetches for an unknown key, and after a failure. */
  keys: 100,
  keysMs: 10 * 60_000,
  keysPauseMs: 30_000,
  keysRetryMs: 5_000,
  rememberedKeySets: 200,
  /** The cached access tokens, the characters of one, and the milliseconds before its expiry at which it is renewed. */
  rememberedTokens: 200,
  tokenCharacters: 16 * 1024,
  tokenMarginMs: 30_000,
  /** The members of a course on a progress page, and the fetched pages of them. */
  members: 2_000,
  memberPages: 10,
  /** The learners on a progress page. */
  boardRows: 500,
  /** The stored learners of a tenant, and the days after the last launch after which they are deleted. */
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
   * The milliseconds until a new key signs, so that platforms have fetched it; for which it signs, and for which it is published
   * afterwards: longer than a score is retried.
   */
  keyNewMs: dayMs,
  keySignsMs: 90 * dayMs,
  keyToldMs: 5 * dayMs,
  /** Tenants that get a new key in one scheduled run. */
  keysRotated: 100,
  /** Seconds for which a signed request for an access token, or a chosen lesson, is good. */
  signedSeconds: 300,
} as const;
