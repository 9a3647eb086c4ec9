// The names under which releases are published. The scope belongs to the project, unlike an unscoped name.

/** The packages on npm. */
export const packageNames = { client: "@sandbar-dev/sandbar", local: "@sandbar-dev/local" } as const;

/** The field `repository` of the packages. npm accepts a provenance only if it names the repository of the workflow. */
export const repository = { type: "git", url: "git+https://github.com/sandbar-dev/sandbar.git" } as const;
