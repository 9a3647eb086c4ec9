// What is done here, as a line for a shell: of the command line `sandbar`, or of curl where that has no such command.

/** The words after `sandbar`; what is undefined or false is left out. */
export function sandbarLine(...words: readonly (string | number | false | undefined)[]): string {
  const server = location.origin === "http://localhost:8787" ? [] : ["--server", location.origin];
  const given = words.filter((one): one is string | number => one !== undefined && one !== false && one !== "");
  return ["sandbar", ...given.map(String), ...server].map(quoted).join(" ");
}

/** `key`: the variable that it stands in. */
export function curlLine(method: string, path: string, body?: unknown, key = "SANDBAR_API_KEY"): string {
  const address = quoted(`${location.origin}${path}`);
  const parts = [
    method === "GET" ? `curl ${address}` : `curl -X ${method} ${address}`,
    `-H "Authorization: Bearer $${key}"`,
    ...(body === undefined ? [] : [`-H 'Content-Type: application/json' -d ${quoted(JSON.stringify(body))}`]),
  ];
  return parts.join(" \\\n  ");
}

/** Of what is for people alone: the session's cookie stands in the browser. */
export function curlOfSession(method: string, path: string): string {
  const origin = `-H 'Origin: ${location.origin}'`;
  return `curl -X ${method} ${quoted(`${location.origin}${path}`)} \\\n  -b "$SANDBAR_COOKIE" ${origin}`;
}

/** An option with its value, where there is one. */
export function option(name: string, value: string | number | undefined): readonly (string | number)[] {
  return value === undefined || value === "" || Number.isNaN(value) ? [] : [`--${name}`, value];
}

function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
