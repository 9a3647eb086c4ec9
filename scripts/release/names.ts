// The names under which releases are published. The scope belongs to the project; an unscoped name would not.

/** The packages on npm. */
export const packageNames = { client: "@sandbar-dev/sandbar", local: "@sandbar-dev/local" } as const;

/** The name of an npm package's packed file: npm replaces the parts that a file name cannot have. */
export function packedFile(name: string, version: string): string {
  return `${name.replace("@", "").replace("/", "-")}-${version}.tgz`;
}
