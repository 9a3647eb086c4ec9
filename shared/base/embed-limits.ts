// Every bound and default of publishable keys and of clusters in pages of other people.
// A sandbox itself has those of every sandbox: see `limits.ts`.

export const embedLimits = {
  /** Publishable keys of a tenant; origins of one, and templates or lessons that it offers. */
  publishableKeys: 50,
  publishableOrigins: 20,
  publishableOffers: 20,
  /** Of one, unless it says otherwise: seconds that a sandbox lives, and what is counted; and the most of one visitor. */
  publishableTtlSeconds: 7200,
  publishablePerVisitor: 2,
  publishablePerVisitorMax: 20,
  publishableAtOnce: 20,
  publishablePerHour: 60,
  publishablePerAddress: 30,
  /**
   * Of frames in others' pages: characters of what the service signs for them and of a frame's address; milliseconds that a ticket, a session
   * and a sandbox's token are good for, and that a visitor is known again; milliseconds that a second frame waits for what a first has made.
   */
  embedSignedCharacters: 2048,
  embedUrlCharacters: 2048,
  embedSessionMs: 3_600_000,
  embedVisitorMs: 30 * 24 * 3600 * 1000,
  embedWaitMs: 15_000,
  /** Characters of what a page asks a frame to run or apply, and of a custom property; such calls under way, and objects of one event. */
  embedTextCharacters: 1024 * 1024,
  embedStyleCharacters: 200,
  embedCalls: 20,
  embedChanges: 50,
  /** Milliseconds after its end for which a visitor's run of a lesson is kept. */
  visitorRunMs: 24 * 3600 * 1000,
} as const;
