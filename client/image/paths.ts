// Paths in an image.
import { BuildProblem } from "./dockerfile.ts";

/** Returns an absolute path without `.`, `..` and empty segments. */
export function absolutePath(path: string, folder: string, line: number): string {
  if (path === "") throw new BuildProblem(line, "must name a path");
  const segments: string[] = [];
  for (const segment of (path.startsWith("/") ? path : `${folder}/${path}`).split("/")) {
    if (segment === "..") segments.pop();
    else if (segment !== "" && segment !== ".") segments.push(segment);
  }
  return `/${segments.join("/")}`;
}
