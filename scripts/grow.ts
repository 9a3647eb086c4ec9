// `npm run grow`: adds a database to a service and moves tenants to it. `--file <path>` has the settings of the deployment. Without `--yes`
// it only prints what would be moved.
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { setTimeout as wait } from "node:timers/promises";
import { d1 } from "./deploy/d1.ts";
import { grow } from "./deploy/grow.ts";
import { parseSettings } from "./deploy/settings.ts";
import { databaseIds, deploy } from "./deploy/steps.ts";
import { surroundingsOf } from "./deploy/surroundings.ts";

const { values } = parseArgs({
  options: { file: { type: "string" }, environment: { type: "string" }, yes: { type: "boolean" } },
});
const { CLOUDFLARE_ACCOUNT_ID: account = "", CLOUDFLARE_API_TOKEN: token = "" } = process.env;

try {
  if (values.file === undefined) throw new Error("name the file of the settings: --file deploy.json");
  if (!account || !token)
    throw new Error("set CLOUDFLARE_ACCOUNT_ID and CLOUDFLARE_API_TOKEN: rows are moved by the platform's API");
  const surroundings = surroundingsOf(values.environment);
  await grow({
    settings: parseSettings(JSON.parse(readFileSync(values.file, "utf8")), values.environment),
    isDry: values.yes !== true,
    ids: () => databaseIds(surroundings.wrangler),
    database: (id) => d1({ account, token }, id),
    deploy: (settings, before) =>
      deploy({ ...surroundings, settings, isDry: false, ...(before === undefined ? {} : { before }) }),
    wait: (ms) => wait(ms),
    say: (line) => console.log(line),
  });
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
