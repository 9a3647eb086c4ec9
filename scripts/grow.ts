// `npm run grow`: adds a database to a service and moves tenants to it. `--file <path>` has the settings of the deployment. Without `--yes`
// it only prints what would be moved.
import { setTimeout as wait } from "node:timers/promises";
import { messageOfError, readJson, readWords } from "./command-words.ts";
import { d1 } from "./deploy/d1.ts";
import { grow } from "./deploy/grow.ts";
import { parseSettings } from "./deploy/settings.ts";
import { databaseIds, deploy } from "./deploy/steps.ts";
import { surroundingsOf } from "./deploy/surroundings.ts";

const usage = `Usage: npm run grow -- --file <settings.json> [--environment <name>] [--yes]

Adds a database to a deployed service. Without --yes it prints what it would move. Needs CLOUDFLARE_ACCOUNT_ID and CLOUDFLARE_API_TOKEN.`;
const { values } = readWords(usage, {
  options: {
    file: { type: "string" },
    environment: { type: "string" },
    yes: { type: "boolean" },
    help: { type: "boolean", short: "h" },
  },
});
if (values.help) {
  console.log(usage);
  process.exit(0);
}
const { CLOUDFLARE_ACCOUNT_ID: account = "", CLOUDFLARE_API_TOKEN: token = "" } = process.env;

try {
  if (values.file === undefined) throw new Error("name the file of the settings: --file deploy.json");
  if (!account || !token)
    throw new Error("set CLOUDFLARE_ACCOUNT_ID and CLOUDFLARE_API_TOKEN: rows are moved by the platform's API");
  const surroundings = surroundingsOf(values.environment);
  await grow({
    settings: parseSettings(readJson(values.file), values.environment),
    isDry: values.yes !== true,
    ids: () => databaseIds(surroundings.wrangler),
    database: (id) => d1({ account, token }, id),
    deploy: (settings, before) =>
      deploy({ ...surroundings, settings, isDry: false, ...(before === undefined ? {} : { before }) }),
    wait: (ms) => wait(ms),
    say: (line) => console.log(line),
  });
} catch (error) {
  console.error(messageOfError(error));
  process.exitCode = 1;
}
