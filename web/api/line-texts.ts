// Shell lines for the `sandbar` command-line client, or for curl if the client has no such command. `origin` is the service's.

/** The default server of the command-line client. */
const usualOrigin = "http://localhost:8787";

export type Word = string | number | false | undefined;

/** Formats a line that unpacks a file for the standard input of another. */
export function gunzipText(file: string, line: string): string {
  return `gunzip -c ${quoted(file)} | ${line}`;
}

/** Formats a `sandbar` line. Words that are undefined, false or empty are left out. */
export function sandbarText(origin: string, words: readonly Word[]): string {
  const server = origin === usualOrigin ? [] : ["--server", origin];
  const filledWords = words.filter((word) => word !== undefined && word !== false && word !== "");
  return ["sandbar", ...filledWords.map(String), ...server].map(quoted).join(" ");
}

export interface CurlRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  /** The variable that contains the key. If absent, the session's cookie in `SANDBAR_COOKIE` is used. */
  readonly key?: string | undefined;
}

export function curlText(origin: string, { method, path, body, key }: CurlRequest): string {
  const address = quoted(`${origin}${path}`);
  const segments = [
    method === "GET" ? `curl ${address}` : `curl -X ${method} ${address}`,
    key === undefined ? `-b "$SANDBAR_COOKIE" -H ${quoted(`Origin: ${origin}`)}` : `-H "Authorization: Bearer $${key}"`,
    ...(body === undefined ? [] : [`-H 'Content-Type: application/json' -d ${quoted(JSON.stringify(body))}`]),
  ];
  return segments.join(" \\\n  ");
}

function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
