// Reads the words of a command of this folder. A wrong word is answered with the usage, never with a stack trace.
import { readFileSync } from "node:fs";
import { parseArgs, type ParseArgsConfig } from "node:util";

/** The exit code of a command whose words are wrong. */
const wrongWords = 2;

/** Parses the words. A word that the command does not have is printed with the usage, and ends the process. */
export function readWords<T extends ParseArgsConfig>(usage: string, config: T): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs(config);
  } catch (error) {
    return refuseWords(usage, messageOfError(error));
  }
}

/** Prints the usage after the reason, and ends the process. */
export function refuseWords(usage: string, reason: string): never {
  // Node's hint about positional arguments does not fit commands that npm runs.
  console.error(`${reason.split(". To specify")[0]}\n\n${usage}`);
  process.exit(wrongWords);
}

/** Returns an error's text without its class and its stack. */
export function messageOfError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Reads a file of JSON. An error names the file. */
export function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw new Error(`${path}: ${messageOfError(error)}`);
  }
}
