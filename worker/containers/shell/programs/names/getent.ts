// Resolves a name by a script in a container, for servers that send requests on their visitors' behalf.

/** Returns the command. `host` contains only letters, digits, dots and hyphens. */
export function getentCommand(host: string): string {
  return `getent hosts ${host}`;
}

/** Parses the output of the command. Returns undefined if the name does not exist. */
export function addressIn(text: string): string | undefined {
  return /^\S+/.exec(text)?.[0];
}
