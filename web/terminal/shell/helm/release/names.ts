// The names of releases.

const namePattern = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const maxNameLength = 53;

/** Returns the problem of a release's name, or undefined. */
export function nameProblem(name: string): string | undefined {
  if (name === "") return "no name provided";
  if (namePattern.test(name) && name.length <= maxNameLength) return undefined;
  return `invalid release name, must match regex ${namePattern.source} and the length must not be longer than ${maxNameLength}`;
}
