// Lines of the `sandbar` client that do the same as the console's buttons for states.

export function sandbarLine(
  command: string,
  sandbox: string,
  options: Readonly<Record<string, string | number | undefined>> = {},
): string {
  const flags = Object.entries(options).flatMap(([name, value]) =>
    value === undefined || value === "" ? [] : [`--${name}=${quoteForShell(String(value))}`],
  );
  return ["sandbar", command, sandbox, ...flags].join(" ");
}

function quoteForShell(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
