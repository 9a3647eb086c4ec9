// The library that reads and writes git's own formats. It needs a `Buffer`, which browsers lack.
export async function loadLibrary(): Promise<typeof import("isomorphic-git")> {
  const scope: { Buffer?: unknown } = globalThis;
  scope.Buffer ??= (await import("buffer")).Buffer;
  return import("isomorphic-git");
}

export type GitLibrary = Awaited<ReturnType<typeof loadLibrary>>;
