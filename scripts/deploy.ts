// `npm run deploy`: reads the settings from a JSON file (`--file <path>`) or asks for them, shows the steps, and runs them with `--yes`.
import { parseArgs } from "node:util";
import { messageOfError, readJson } from "./command-words.ts";
import { askSettings } from "./deploy/ask.ts";
import { promote, rollback } from "./deploy/rollout.ts";
import { parseSettings } from "./deploy/settings.ts";
import { deploy, tryService } from "./deploy/steps.ts";
import { surroundingsOf } from "./deploy/surroundings.ts";
import { requireAccount } from "./deploy/wrangler.ts";

const usage = `Usage: npm run deploy -- [--file <settings.json>] [options]

Asks for the settings of a deployment, or reads them from a file, and shows what it would do.

  --file <path>          a file of JSON with the settings, in place of questions
  --environment <name>   an environment of the file, such as staging
  --yes                  does what it shows
  --dry-run              shows it alone, also beside --yes; it needs no login
  --percent <n>          gives the new version n % of the traffic, 1 to 99
  --promote <n>          raises the share of the version that --percent deployed, up to 100
  --rollback [version]   returns to an earlier version that can read what is stored
  --force                with --rollback: also to a version that cannot

docs/deploy.md lists the settings. Ends with 1 where something is refused, and with 2 where the command is wrong.`;

class UsageError extends Error {}

process.exitCode = await run();

async function run(): Promise<number> {
  try {
    const words = readArguments();
    if (words.help) {
      console.log(usage);
      return 0;
    }
    return await act(words);
  } catch (error) {
    const isUsage = error instanceof UsageError;
    console.error(isUsage ? `${error.message}\n\n${usage}` : messageOfError(error));
    return isUsage ? 2 : 1;
  }
}

type Words = ReturnType<typeof readArguments>;

async function act(words: Words): Promise<number> {
  const { file, yes, environment, force = false, "dry-run": isDryRun, "rollback-to": to } = words;
  const percent = shareOf("percent", words.percent, 99);
  const promoted = shareOf("promote", words.promote, 100);
  const settings =
    file === undefined ? await askSettings(process.stdin, process.stderr) : parseSettings(readJson(file), environment);
  const isDry = yes !== true || isDryRun === true;
  const surroundings = { ...surroundingsOf(environment), settings, isDry };
  if (words.rollback || promoted !== undefined) await requireAccount(surroundings.wrangler);
  if (words.rollback) {
    await rollback(surroundings, { to, isForced: force });
    if (!isDry) await tryService(surroundings, { isEarlier: true });
  } else if (promoted !== undefined) {
    const version = await promote(surroundings, promoted);
    if (!isDry) await tryService(surroundings, { version });
  } else return deploy({ ...surroundings, percent });
  if (isDry) console.log("This was a dry run: nothing was changed. Run it with --yes to do it.");
  return 0;
}

function readArguments() {
  const options = {
    file: { type: "string" },
    environment: { type: "string" },
    yes: { type: "boolean" },
    "dry-run": { type: "boolean" },
    percent: { type: "string" },
    promote: { type: "string" },
    rollback: { type: "boolean" },
    force: { type: "boolean" },
    help: { type: "boolean", short: "h" },
  } as const;
  try {
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    const [to, ...more] = positionals;
    if (more.length > 0 || (to !== undefined && !values.rollback))
      throw new Error(`unexpected: ${positionals.join(" ")}`);
    if (values.environment !== undefined && values.file === undefined) throw new Error("--environment needs --file");
    const actions = (["percent", "promote", "rollback"] as const).filter((name) => values[name] !== undefined);
    if (actions.length > 1) throw new Error(`choose one of ${actions.map((name) => `--${name}`).join(", ")}`);
    return { ...values, "rollback-to": to };
  } catch (error) {
    throw new UsageError(messageOfError(error));
  }
}

function shareOf(option: string, text: string | undefined, most: number): number | undefined {
  if (text === undefined) return undefined;
  const percent = Number(text);
  if (Number.isInteger(percent) && percent >= 1 && percent <= most) return percent;
  throw new UsageError(`--${option} must be a number from 1 to ${most}, not ${text}`);
}
