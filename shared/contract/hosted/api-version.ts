// The versions of the control API. A response names its version; a request can name the version that it is written for: see docs/api.md.

/** The versions, the oldest first. Each is the day of its introduction; an incompatible change makes a new one. */
export const apiVersions = ["2026-11-24"] as const;

/** The header of requests and responses. */
export const versionHeader = "Sandbar-Version";

/** The version of responses. */
export const currentApiVersion: string = apiVersions.at(-1) ?? "";
