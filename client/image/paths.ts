// Paths in an image.
import { BuildProblem } from "./dockerfile.ts";

/** Returns an absolute path without `.`, `..` and empty parts. */
export function absolutePath(path: string, folder: string, line: number): string {
  if (path === "") throw new BuildProblem(line, "must name a path");
  const parts: string[] = [];
  for (const part of (path.startsWith("/") ? path : `${folder}/${path}`).split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `/${parts.join("/")}`;
}
