// Names of people, as objects and logs have them.
import { zoneText } from "./dates.ts";
import type { GitLibrary } from "./library.ts";

export type Person = Awaited<ReturnType<GitLibrary["readCommit"]>>["commit"]["author"];

/** Formats a person and a time. */
export function identText({ name, email, timestamp, timezoneOffset }: Person): string {
  return `${name} <${email}> ${timestamp} ${zoneText(timezoneOffset)}`;
}
