// Makes an API key for a tenant of a deployed service and prints it once: `npm run key -- <tenant>`.
import { execFileSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";

const [tenant = "", ...options] = process.argv.slice(2);
if (!/^[a-z0-9][a-z0-9-]{0,62}$/.test(tenant)) {
  console.error(
    "usage: npm run key -- <tenant: a-z, 0-9 and -> [options of wrangler, such as --local; default --remote]",
  );
  process.exit(1);
}

const key = `sbk_${randomBytes(24).toString("hex")}`;
const hash = createHash("sha256").update(key).digest("hex");
const nowMs = Date.now();
const sql = [
  `INSERT OR IGNORE INTO tenants (id, name, created_at_ms) VALUES ('${tenant}', '${tenant}', ${nowMs})`,
  `INSERT INTO api_keys (hash, tenant_id, created_at_ms) VALUES ('${hash}', '${tenant}', ${nowMs})`,
].join("; ");
const where = options.length > 0 ? options : ["--remote"];
execFileSync("wrangler", ["d1", "execute", "sandbar", ...where, "--command", sql], { stdio: ["ignore", 2, 2] });
console.log(key);
