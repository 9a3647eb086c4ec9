// `node scripts/release/check.ts <version>`: ends with 1 unless the files of the checkout, and a section of the changelog, state the version.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../build.ts";
import { versionProblems } from "./version.ts";

const [version = ""] = process.argv.slice(2);
const problems = versionProblems(version, (path) =>
  existsSync(join(root, path)) ? readFileSync(join(root, path), "utf8") : undefined,
);
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
