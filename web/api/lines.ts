// What is done here, as a line for a shell that asks the service which this page is of.
import { curlText, sandbarText, type Word } from "./line-texts.ts";

export function sandbarLine(...words: readonly Word[]): string {
  return sandbarText(location.origin, words);
}

/** `key`: the variable that it stands in. */
export function curlLine(method: string, path: string, body?: unknown, key = "SANDBAR_API_KEY"): string {
  return curlText(location.origin, { method, path, body, key });
}

/** Of what is for people alone. */
export function curlOfSession(method: string, path: string): string {
  return curlText(location.origin, { method, path });
}

/** An option with its value, where there is one. */
export function option(name: string, value: string | number | undefined): readonly (string | number)[] {
  return value === undefined || value === "" || Number.isNaN(value) ? [] : [`--${name}`, value];
}
