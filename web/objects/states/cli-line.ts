// Lines of the client `sandbar` that do what the console's buttons do with states.

export function sandbarLine(
  command: string,
  sandbox: string,
  options: Readonly<Record<string, string | number | undefined>> = {},
): string {
  const given = Object.entries(options).flatMap(([name, value]) =>
    value === undefined || value === "" ? [] : [`--${name}=${quoted(String(value))}`],
  );
  return ["sandbar", command, sandbox, ...given].join(" ");
}

function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
