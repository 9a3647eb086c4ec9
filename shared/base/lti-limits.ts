// The limits of LTI: of platforms (learning management systems), their users' browsers and their responses.

const dayMs = 24 * 3600 * 1000;

export const ltiLimits = {
  /** The platforms of a tenant. */
  platforms: 50,
  /** The deployments of a platform. */
  deployments: 100,
  /** The characters of an issuer, a client id or a deployment id. */
  idCharacters: 255,
  /** The characters of a platform's address. */
  urlCharacters: 2_000,
  /** The characters of a platform's name. */
  nameCharacters: 120,
  /** Bytes of a form that a browser posts. Canvas and Moodle sign launches of 3 to 6 KiB. */
  formBytes: 128 * 1024,
  /** The characters of a login's hints, which are returned to the platform in a URL. */
  hintCharacters: 8 * 1024,
  /** Milliseconds from a login to its launch: people sign in to the platform in between. */
  loginMs: 10 * 60_000,
  /** The seconds by which the clock of a platform may differ from ours. */
  clockSeconds: 60,
  /** The maximum age of an id token in seconds. */
  tokenSeconds: 600,
  /** The roles, and the custom parameters, that are read from a launch. */
  roles: 100,
  /** The characters of a role. */
  roleCharacters: 300,
  /** The bytes of a platform's response: keys, tokens or members. */
  answerBytes: 512 * 1024,
  /** The milliseconds within which a platform must respond. */
  answerMs: 10_000,
  /** The keys of a platform. */
  platformKeys: 100,
  /** The milliseconds for which a platform's keys are cached. */
  platformKeysMs: 10 * 60_000,
  /** The milliseconds between two fetches for an unknown key. */
  platformKeysPauseMs: 30_000,
  /** The milliseconds until keys are fetched again after a failure. */
  platformKeysRetryMs: 5_000,
  /** The platforms whose keys are cached. */
  rememberedKeySets: 200,
  /** The cached access tokens. */
  rememberedTokens: 200,
  /** The characters of an access token. */
  tokenCharacters: 16 * 1024,
  /** The milliseconds before its expiry at which an access token is renewed. */
  tokenMarginMs: 30_000,
  /** The members of a course on a progress page. */
  members: 2_000,
  /** The fetched pages of a course's members. */
  memberPages: 10,
  /** The learners on a progress page. */
  boardRows: 500,
  /** The stored learners of a tenant. */
  learners: 20_000,
  /** The days after the last launch after which a learner is deleted. */
  learnerDays: 180,
  /** Lessons that a teacher chooses from. */
  chosenLessons: 200,
  /** The milliseconds for which a page that a launch has opened may be used. */
  pageMs: 4 * 3600_000,
  /** The milliseconds for which a link by which a platform registers is valid. */
  registrationMs: dayMs,
  /** The characters of `data` in a deep linking request, which is returned with the chosen lesson. */
  dataCharacters: 16 * 1024,
  /** The milliseconds from the publication of our new key until it signs, so that platforms have fetched it. */
  toolKeyNewMs: dayMs,
  /** The milliseconds for which a key of ours signs. */
  toolKeySignsMs: 90 * dayMs,
  /** The milliseconds for which it is published afterwards: longer than a score is retried. */
  toolKeyPublishedAfterMs: 5 * dayMs,
  /** The tenants that get a new key in one scheduled run. */
  tenantsPerRotation: 100,
  /** Seconds for which a signed request for an access token, or a chosen lesson, is valid. */
  signedSeconds: 300,
} as const;
