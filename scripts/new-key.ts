// Creates an API key for a tenant of a deployed service and prints it once: `npm run key -- <tenant>`.
import { execFileSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { planNames } from "../shared/contract/hosted/plan.ts";

const [tenant = "", ...words] = process.argv.slice(2);
/** Options of this script. The rest of the words are wrangler's. */
const plan = taken("--plan");
const database = taken("--database") ?? "sandbar";

const isRight =
  /^[a-z0-9][a-z0-9-]{0,62}$/.test(tenant) && (plan === undefined || planNames.some((planName) => planName === plan));
const isHelp = process.argv.slice(2).some((word) => word === "--help" || word === "-h");
if (isHelp || !isRight) {
  const usage =
    `usage: npm run key -- <tenant: a-z, 0-9 and -> [--plan ${planNames.join("|")}] [--database sandbar] ` +
    "[options of wrangler, such as --local; default --remote]";
  (isHelp ? console.log : console.error)(usage);
  process.exit(isHelp ? 0 : 1);
}

const key = `sbk_${randomBytes(24).toString("hex")}`;
const hash = createHash("sha256").update(key).digest("hex");
const nowMs = Date.now();
const sql = [
  `INSERT OR IGNORE INTO tenants (id, name, created_at_ms) VALUES ('${tenant}', '${tenant}', ${nowMs})`,
  `INSERT INTO api_keys (hash, tenant_id, created_at_ms) VALUES ('${hash}', '${tenant}', ${nowMs})`,
  ...(plan ? [`INSERT OR REPLACE INTO tenant_plans (tenant_id, plan) VALUES ('${tenant}', '${plan}')`] : []),
].join("; ");
const where = words.length > 0 ? words : ["--remote"];
try {
  execFileSync("wrangler", ["d1", "execute", database, ...where, "--command", sql], { stdio: ["ignore", 2, 2] });
  console.log(key);
} catch {
  // wrangler has printed the reason.
  console.error(
    "No key was made. Sign in with `npx wrangler login`, and deploy first (`npm run deploy`); for a local database give --local.",
  );
  process.exitCode = 1;
}

function taken(option: string): string | undefined {
  const place = words.indexOf(option);
  return place < 0 ? undefined : words.splice(place, 2)[1];
}
