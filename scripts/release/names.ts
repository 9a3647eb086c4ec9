// The names under which releases are published. The scope belongs to the project, unlike an unscoped name.

/** The packages on npm. */
export const packageNames = { client: "@sandbar-dev/sandbar", local: "@sandbar-dev/local" } as const;

/** Returns the name of an npm package's packed file. npm replaces characters that a file name cannot have. */
export function packedFile(name: string, version: string): string {
  return `${name.replace("@", "").replace("/", "-")}-${version}.tgz`;
}
