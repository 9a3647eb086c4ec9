// Authors and committers.
import { zoneText } from "./dates.ts";
import type { GitLibrary } from "./library.ts";

export type Person = Awaited<ReturnType<GitLibrary["readCommit"]>>["commit"]["author"];

/** Formats a person and a time as objects and logs have them. */
export function identText({ name, email, timestamp, timezoneOffset }: Person): string {
  return `${name} <${email}> ${timestamp} ${zoneText(timezoneOffset)}`;
}
