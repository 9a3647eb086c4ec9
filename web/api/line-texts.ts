// Lines for a shell: of the command line `sandbar`, or of curl where that has no such command. `origin` is the service's.

/** Where the command line looks by itself. */
const usualOrigin = "http://localhost:8787";

export type Word = string | number | false | undefined;

/** The words after `sandbar`; what is undefined, false or empty is left out. */
export function sandbarText(origin: string, words: readonly Word[]): string {
  const server = origin === usualOrigin ? [] : ["--server", origin];
  const given = words.filter((one) => one !== undefined && one !== false && one !== "");
  return ["sandbar", ...given.map(String), ...server].map(quoted).join(" ");
}

export interface CurlRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  /** The variable that the key stands in; absent: the session's cookie, in `SANDBAR_COOKIE`. */
  readonly key?: string | undefined;
}

export function curlText(origin: string, { method, path, body, key }: CurlRequest): string {
  const address = quoted(`${origin}${path}`);
  const parts = [
    method === "GET" ? `curl ${address}` : `curl -X ${method} ${address}`,
    key === undefined ? `-b "$SANDBAR_COOKIE" -H ${quoted(`Origin: ${origin}`)}` : `-H "Authorization: Bearer $${key}"`,
    ...(body === undefined ? [] : [`-H 'Content-Type: application/json' -d ${quoted(JSON.stringify(body))}`]),
  ];
  return parts.join(" \\\n  ");
}

function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
