// The steps of a deployment. Each checks whether it is done already, so that the same command deploys and upgrades. A dry run only checks.
import { createHash, randomBytes } from "node:crypto";
import { configurationOf } from "./configuration.ts";
import { type DeploySettings, databaseNames } from "./settings.ts";

/** Runs wrangler. Returns its output; throws its error output if it fails. */
export type Wrangler = (words: readonly string[]) => Promise<string>;

export interface Deployment {
  readonly settings: DeploySettings;
  readonly isDry: boolean;
  /** The previous number of databases while tenants move to the last one; undefined if they do not. */
  readonly before?: number;
  readonly wrangler: Wrangler;
  /** The project's wrangler.toml. */
  readonly toml: string;
  /** The path of this deployment's configuration, and that of the temporary file for secrets. */
  readonly paths: { readonly configuration: string; readonly secrets: string };
  write(path: string, text: string): void;
  remove(path: string): void;
  say(line: string): void;
  nowMs(): number;
}

/** Deploys. Returns the exit code. */
export async function deploy(deployment: Deployment): Promise<number> {
  const { settings, say, isDry } = deployment;
  await deployment.wrangler(["whoami"]);
  const ids = await databases(deployment);
  await bucket(deployment);
  await configure(deployment, ids);
  await migrate(deployment);
  await upload(deployment);
  await tenant(deployment);
  if (settings.domain && settings.wildcard) {
    say(`needed once, by hand: a proxied DNS record *.${settings.domain}, and a certificate for that name`);
  }
  say(isDry ? "This was a dry run: nothing was changed. Run it with --yes to do it." : "Done.");
  return 0;
}

async function databases({ settings, wrangler, isDry, say }: Deployment): Promise<Map<string, string>> {
  const existingIds = await databaseIds(wrangler);
  let hasMade = false;
  for (const name of databaseNames(settings)) {
    if (existingIds.has(name)) {
      say(`database ${name}: is there`);
      continue;
    }
    say(`database ${name}: ${isDry ? "would be made" : "is made"}`);
    if (isDry) continue;
    await wrangler(["d1", "create", name]);
    hasMade = true;
  }
  return hasMade ? databaseIds(wrangler) : existingIds;
}

export async function databaseIds(wrangler: Wrangler): Promise<Map<string, string>> {
  const listed = JSON.parse(await wrangler(["d1", "list", "--json"])) as {
    readonly name: string;
    readonly uuid: string;
  }[];
  return new Map(listed.map(({ name, uuid }) => [name, uuid]));
}

async function bucket({ settings: { bucket: name }, wrangler, isDry, say }: Deployment): Promise<void> {
  const listed = await wrangler(["r2", "bucket", "list"]);
  const names = [...listed.matchAll(/^name:\s+(\S+)\s*$/gm)].map(([, bucketName]) => bucketName);
  if (names.includes(name)) return say(`bucket ${name}: is there`);
  say(`bucket ${name}: ${isDry ? "would be made" : "is made"}`);
  if (!isDry) await wrangler(["r2", "bucket", "create", name]);
}

async function configure(deployment: Deployment, ids: ReadonlyMap<string, string>): Promise<void> {
  const { settings, toml, paths, write, say, isDry } = deployment;
  const text = configurationOf(toml, settings, ids, deployment.before);
  say(`configuration ${paths.configuration}: ${isDry ? "would be written" : "is written"}`);
  if (!isDry) write(paths.configuration, text);
}

async function migrate({ settings, wrangler, paths, isDry, say }: Deployment): Promise<void> {
  for (const name of databaseNames(settings)) {
    say(`migrations of ${name}: ${isDry ? "would be applied" : "are applied"}`);
    if (!isDry) await wrangler(["d1", "migrations", "apply", name, "--remote", "--config", paths.configuration]);
  }
}

/**
 * Uploads secrets that do not exist yet. They are never replaced: all ids and tokens are derived from the first, so another would end all
 * sandboxes.
 */
async function upload({ settings, wrangler, paths, write, remove, isDry, say }: Deployment): Promise<void> {
  const existingNames = await secretNames(wrangler, settings.name);
  const newSecrets: Record<string, string> = {};
  for (const name of ["SANDBAR_SECRET", "SANDBAR_OPERATOR_KEY"]) {
    if (existingNames.includes(name)) say(`secret ${name}: is there`);
    else {
      say(`secret ${name}: ${isDry ? "would be made" : "is made"}`);
      newSecrets[name] = `${name === "SANDBAR_OPERATOR_KEY" ? "sbo_" : ""}${randomBytes(32).toString("hex")}`;
    }
  }
  say(`the Worker ${settings.name}: ${isDry ? "would be built and deployed" : "is built and deployed"}`);
  if (isDry) return;
  const words = ["deploy", "--config", paths.configuration];
  if (Object.keys(newSecrets).length === 0) return void (await wrangler(words));
  write(paths.secrets, JSON.stringify(newSecrets));
  try {
    await wrangler([...words, "--secrets-file", paths.secrets]);
  } finally {
    remove(paths.secrets);
  }
  const { SANDBAR_OPERATOR_KEY: key } = newSecrets;
  if (key) say(`the operator's key, which is not shown again: ${key}`);
}

/** Returns the names of secrets; none if the Worker does not exist yet. */
async function secretNames(wrangler: Wrangler, name: string): Promise<string[]> {
  const listed = await wrangler(["secret", "list", "--name", name, "--format", "json"]).catch((error: unknown) => {
    // Any other error is thrown: if existing secrets cannot be listed, none may be created, because another would end all sandboxes.
    if (/\b10007\b|worker\b[^\n]*\bnot found/i.test(String(error))) return "[]";
    throw error;
  });
  return (JSON.parse(listed) as { readonly name: string }[]).map((secret) => secret.name);
}

/** Creates the tenant and its key, unless the tenant has a key. */
async function tenant({ settings, wrangler, paths, isDry, say, nowMs }: Deployment): Promise<void> {
  const { tenant: name } = settings;
  if (name === undefined) return;
  if (isDry) return say(`tenant ${name}: would be made with a key, where there is none`);
  const execute = (sql: string) =>
    wrangler([
      "d1",
      "execute",
      settings.database,
      "--remote",
      "--json",
      "--config",
      paths.configuration,
      "--command",
      sql,
    ]);
  const keyCount = await execute(`SELECT COUNT(*) AS n FROM api_keys WHERE tenant_id = '${name}'`);
  if (!/"n":\s*0\b/.test(keyCount)) return say(`tenant ${name}: is there`);
  const key = `sbk_${randomBytes(24).toString("hex")}`;
  const hash = createHash("sha256").update(key).digest("hex");
  await execute(
    `INSERT OR IGNORE INTO tenants (id, name, created_at_ms) VALUES ('${name}', '${name}', ${nowMs()}); ` +
      `INSERT INTO api_keys (hash, tenant_id, created_at_ms) VALUES ('${hash}', '${name}', ${nowMs()})`,
  );
  say(`the key of tenant ${name}, which is not shown again: ${key}`);
}
