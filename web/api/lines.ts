// Shell lines that do the same as an action of the console, for the service of this page.
import { curlText, sandbarText, type Word } from "./line-texts.ts";

export function sandbarLine(...words: readonly Word[]): string {
  return sandbarText(location.origin, words);
}

/** Formats a curl line. `key` is the variable that contains the API key. */
export function curlLine(method: string, path: string, body?: unknown, key = "SANDBAR_API_KEY"): string {
  return curlText(location.origin, { method, path, body, key });
}

/** Formats a curl line with the session's cookie, for requests that accept only users. */
export function curlOfSession(method: string, path: string): string {
  return curlText(location.origin, { method, path });
}

/** Returns an option with its value, or nothing if there is no value. */
export function option(name: string, value: string | number | undefined): readonly (string | number)[] {
  return value === undefined || value === "" || Number.isNaN(value) ? [] : [`--${name}`, value];
}
