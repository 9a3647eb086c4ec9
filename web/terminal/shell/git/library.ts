// The library that reads and writes git's own formats. It needs a `Buffer`, which browsers lack.
import type * as IsomorphicGit from "isomorphic-git";

export async function loadLibrary(): Promise<typeof IsomorphicGit> {
  const scope: { Buffer?: unknown } = globalThis;
  scope.Buffer ??= (await import("buffer")).Buffer;
  return import("isomorphic-git");
}

export type GitLibrary = Awaited<ReturnType<typeof loadLibrary>>;
