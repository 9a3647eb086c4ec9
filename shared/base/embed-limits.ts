// The limits and defaults of publishable keys and of embedded clusters. Sandboxes have the limits of `limits.ts` too.

export const embedLimits = {
  /** The publishable keys of a tenant; the origins of one, and the templates or lessons that it offers. */
  publishableKeys: 50,
  publishableOrigins: 20,
  publishableOffers: 20,
  /** The defaults of a key: the seconds that a sandbox lives, and its counts; and the maximum for one visitor. */
  publishableTtlSeconds: 7200,
  publishablePerVisitor: 2,
  publishablePerVisitorMax: 20,
  publishableAtOnce: 20,
  publishablePerHour: 60,
  publishablePerAddress: 30,
  /**
   * The limits of embedded frames: the characters of signed texts and of a frame's URL. Then the milliseconds for which a session and a
   * visitor's identity are valid, and for which a second frame waits.
   */
  embedSignedCharacters: 2048,
  embedUrlCharacters: 2048,
  embedSessionMs: 3_600_000,
  /** The milliseconds for which the address of a preview is valid. */
  previewMs: 3_600_000,
  embedVisitorMs: 30 * 24 * 3600 * 1000,
  embedWaitMs: 15_000,
  /** The characters of a command or manifest from a page, and of a custom property; the concurrent calls, and the objects of one event. */
  embedTextCharacters: 1024 * 1024,
  embedStyleCharacters: 200,
  embedCalls: 20,
  embedChanges: 50,
  /** The milliseconds for which a visitor's run of a lesson is stored after its end. */
  visitorRunMs: 24 * 3600 * 1000,
} as const;
