// The main file of the package `sandbar-local`: runs the built service in the current folder.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { runLocally } from "../run.ts";

const usage = `Usage: sandbar-local [dev]

Runs Sandbar on this machine until it is interrupted, makes a sandbox, and prints where it is. Data is kept in .sandbar of this folder.

  SANDBAR_HTTPS_PORT  8443       the Kubernetes API and everything
  SANDBAR_HTTP_PORT   8787       console and control API
  SANDBAR_DATA        .sandbar   where everything is kept

docs/configuration.md of Sandbar lists the others. Ends with 1 where it cannot start, and with 2 where the command is wrong.`;

// The folder of the built file.
const root = fileURLToPath(new URL(".", import.meta.url));
const words = process.argv.slice(2);

if (words.includes("--help") || words.includes("-h")) console.log(usage);
else if (words.length === 1 && (words[0] === "version" || words[0] === "--version")) console.log(version());
else if (words.length === 0 || (words.length === 1 && words[0] === "dev")) await runLocally({ root });
else {
  console.error(`there is no command ${JSON.stringify(words.join(" "))}: see sandbar-local --help`);
  process.exitCode = 2;
}

function version(): string {
  return (JSON.parse(readFileSync(`${root}package.json`, "utf8")) as { version: string }).version;
}
