// The folder that a Dockerfile copies from, without what its `.dockerignore` names.

export interface ContextFile {
  readonly isExecutable: boolean;
  read(): Uint8Array;
}

/** Files by their paths in the folder: `src/app.py`. */
export type BuildContext = ReadonlyMap<string, ContextFile>;

/** Returns what tells whether a path is left out, by the text of a `.dockerignore`. The last line that fits decides. */
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

/** Without `./` before it and slashes around it. */
export function cleanPath(path: string): string {
  return path
    .split("/")
    .filter((part) => part !== "" && part !== ".")
    .join("/");
}

/** Reports whether a pattern is that of a path, or of a folder above it: `*` stands for characters of a name, `**` for any number of folders. */
export function fits(pattern: string, path: string): boolean {
  return partsFit(pattern.split("/"), path.split("/"));
}

function partsFit([first, ...rest]: readonly string[], parts: readonly string[]): boolean {
  // The rest of the path is relative to the folder.
  if (first === undefined || first === "") return true;
  if (first === "**")
    return parts.some((_, at) => partsFit(rest, parts.slice(at))) && (rest.length > 0 || parts.length > 0);
  const [name, ...below] = parts;
  return name !== undefined && nameFits(first, name) && partsFit(rest, below);
}

/** Goes back to the last star where it does not fit: each star is tried once for each character. */
function nameFits(pattern: string, name: string): boolean {
  let [at, star, from] = [0, -1, 0];
  for (let index = 0; index < name.length; ) {
    const one = pattern[at];
    if (one === "*") {
      [star, from] = [at++, index];
    } else if (one === "?" || one === name[index]) {
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
