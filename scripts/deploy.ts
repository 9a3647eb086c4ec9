// `npm run deploy`: asks or reads what is wanted, shows what would be done, and does it with `--yes`. `--file <path>` names a file of JSON.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline/promises";
import { parseArgs } from "node:util";
import { type DeploySettings, deploySettings, questions, settingsOf } from "./deploy/settings.ts";
import { deploy } from "./deploy/steps.ts";
import { surroundings } from "./deploy/surroundings.ts";

const { values } = parseArgs({
  options: { file: { type: "string" }, yes: { type: "boolean" }, "dry-run": { type: "boolean" } },
});

try {
  process.exitCode = await deploy({
    settings:
      values.file === undefined ? await asked() : deploySettings.parse(JSON.parse(readFileSync(values.file, "utf8"))),
    isDry: values.yes !== true || values["dry-run"] === true,
    ...surroundings,
  });
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}

async function asked(): Promise<DeploySettings> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answers: Record<string, string> = {};
  for (const { field, text } of questions) answers[field] = (await terminal.question(text)).trim();
  terminal.close();
  return settingsOf(answers);
}
