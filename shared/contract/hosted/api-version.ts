// The versions of the control API. An answer names its version; a request may name the one that it is written for: see docs/api.md.

/** The oldest first. Each is the day from which on the API answers so; a change that clients must know of makes another. */
export const apiVersions = ["2026-11-24"] as const;

/** The header of requests and answers. */
export const versionHeader = "Sandbar-Version";

/** The version that an answer has. */
export const currentApiVersion: string = apiVersions.at(-1) ?? "";
