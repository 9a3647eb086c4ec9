// Paths of files.

/** Returns the absolute path without `.`, `..` and doubled slashes. */
export function absolute(path: string, folder: string): string {
  const segments: string[] = [];
  for (const segment of (path.startsWith("/") ? path : `${folder}/${path}`).split("/")) {
    if (segment === "..") segments.pop();
    else if (segment !== "" && segment !== ".") segments.push(segment);
  }
  return `/${segments.join("/")}`;
}
