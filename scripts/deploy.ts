// `npm run deploy`: reads the settings from a JSON file (`--file <path>`) or asks for them, shows the steps, and runs them with `--yes`.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline/promises";
import { parseArgs } from "node:util";
import { type DeploySettings, deploySettings, questions, settingsOf } from "./deploy/settings.ts";
import { deploy } from "./deploy/steps.ts";
import { surroundings } from "./deploy/surroundings.ts";

const usage = `Usage: npm run deploy -- [--file <settings.json>] [--yes] [--dry-run]

Asks for the settings of a deployment, or reads them from a file, and shows what it would do.

  --file <path>   a file of JSON with the settings, in place of questions
  --yes           does what it shows
  --dry-run       shows it alone, also beside --yes

docs/deploy.md lists the settings. Ends with 1 where something is refused, and with 2 where the command is wrong.`;

process.exitCode = await run();

async function run(): Promise<number> {
  let deployArguments: ReturnType<typeof readArguments>;
  try {
    deployArguments = readArguments();
  } catch (error) {
    console.error(`${messageOf(error)}\n\n${usage}`);
    return 2;
  }
  if (deployArguments.help) {
    console.log(usage);
    return 0;
  }
  try {
    const { file, yes, "dry-run": isDry } = deployArguments;
    return await deploy({
      settings: file === undefined ? await askSettings() : deploySettings.parse(JSON.parse(readFileSync(file, "utf8"))),
      isDry: yes !== true || isDry === true,
      ...surroundings,
    });
  } catch (error) {
    console.error(messageOf(error));
    return 1;
  }
}

function readArguments() {
  return parseArgs({
    options: {
      file: { type: "string" },
      yes: { type: "boolean" },
      "dry-run": { type: "boolean" },
      help: { type: "boolean", short: "h" },
    },
  }).values;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function askSettings(): Promise<DeploySettings> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answers: Record<string, string> = {};
  for (const { field, text } of questions) answers[field] = (await terminal.question(text)).trim();
  terminal.close();
  return settingsOf(answers);
}
