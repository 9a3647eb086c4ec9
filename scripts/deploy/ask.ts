// Asks for the settings of a deployment at a terminal, or reads the answers from a pipe, a line each.
import { createInterface } from "node:readline/promises";
import type { Readable, Writable } from "node:stream";
import { type DeploySettings, questions, settingsOf } from "./settings.ts";

/** Throws if the input ends before the last answer. Lines of a pipe that come before their question are not lost. */
export async function askSettings(input: Readable, output: Writable): Promise<DeploySettings> {
  const terminal = createInterface({ input, output });
  const lines = terminal[Symbol.asyncIterator]();
  const answers: Record<string, string> = {};
  try {
    for (const { field, text } of questions) {
      output.write(text);
      const { value, done } = await lines.next();
      if (done)
        throw new Error("\nThe input ended before the last answer. Name a file with the settings: --file deploy.json");
      answers[field] = value.trim();
    }
  } finally {
    terminal.close();
  }
  return settingsOf(answers);
}
