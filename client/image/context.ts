// The folder from which a Dockerfile copies, without the files of its `.dockerignore`.

export interface ContextFile {
  readonly isExecutable: boolean;
  read(): Uint8Array;
}

/** Files by their paths in the folder: `src/app.py`. */
export type BuildContext = ReadonlyMap<string, ContextFile>;

/** Returns a function that reports whether a path is ignored, by the text of a `.dockerignore`. The last matching line decides. */
export function ignoredBy(text: string): (path: string) => boolean {
  const rules = text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => {
      const isException = line.startsWith("!");
      return { isException, pattern: cleanPath(isException ? line.slice(1) : line) };
    });
  return (path) => {
    let isIgnored = false;
    for (const { isException, pattern } of rules) if (fits(pattern, path)) isIgnored = !isException;
    return isIgnored;
  };
}

/** Removes `./` and slashes at both ends. */
export function cleanPath(path: string): string {
  return path
    .split("/")
    .filter((segment) => segment !== "" && segment !== ".")
    .join("/");
}

/** Reports whether a pattern matches a path, or a folder that contains it. `*` matches characters of a name, `**` any number of folders. */
export function fits(pattern: string, path: string): boolean {
  return segmentsFit(pattern.split("/"), path.split("/"));
}

function segmentsFit([first, ...rest]: readonly string[], segments: readonly string[]): boolean {
  // The pattern matches a folder that contains the rest of the path.
  if (first === undefined || first === "") return true;
  if (first === "**")
    return segments.some((_, at) => segmentsFit(rest, segments.slice(at))) && (rest.length > 0 || segments.length > 0);
  const [name, ...below] = segments;
  return name !== undefined && nameFits(first, name) && segmentsFit(rest, below);
}

/** Matches a name. After a mismatch, matching goes on from the last star, so each star is tried once for each character. */
function nameFits(pattern: string, name: string): boolean {
  let [at, star, from] = [0, -1, 0];
  for (let index = 0; index < name.length; ) {
    const character = pattern[at];
    if (character === "*") {
      [star, from] = [at++, index];
    } else if (character === "?" || character === name[index]) {
      at++;
      index++;
    } else if (star >= 0) {
      at = star + 1;
      index = ++from;
    } else return false;
  }
  while (pattern[at] === "*") at++;
  return at === pattern.length;
}
