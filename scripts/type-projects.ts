// The TypeScript projects that `npm test` checks.
import { globSync } from "node:fs";

/**
 * Projects that editors read, each with a project that checks the same files with the same options. A project also checks all files that it
 * imports, so without this list most files would be checked once more for each of them.
 */
export const coveredProjects: Readonly<Record<string, string>> = {
  "tsconfig.json": "test/tsconfig.json",
  "client/tsconfig.json": "test/tsconfig.json",
  "bench/worker/tsconfig.json": "worker/tsconfig.json",
};

/** Returns the paths of the projects to check: those of all folders with a tsconfig.json, without the covered ones. */
export function checkedProjects(root: string): string[] {
  const projects = globSync(["tsconfig.json", "*/tsconfig.json", "*/*/tsconfig.json"], {
    cwd: root,
    exclude: ["node_modules/**", "dist/**"],
  });
  return projects.filter((project) => coveredProjects[project] === undefined).sort();
}
