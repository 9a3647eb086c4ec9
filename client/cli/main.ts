// The command line `sandbar`.
import { readFileSync } from "node:fs";
import { runCommand } from "./run.ts";

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => stop.abort());
// The package.json beside the built file.
const { version } = JSON.parse(readFileSync(new URL("package.json", import.meta.url), "utf8")) as { version: string };
process.stdout.on("error", () => process.exit(0));

process.exitCode = await runCommand(process.argv.slice(2), {
  environment: process.env,
  folder: process.cwd(),
  version,
  print: (text) => void process.stdout.write(text),
  say: (text) => void process.stderr.write(`${text}\n`),
  signal: stop.signal,
}).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  return 1;
});
// A connection whose far end does not close must not keep a finished command.
setTimeout(() => process.exit(), 500).unref();
