// The steps of a deployment. Each checks whether it is done already, so that the same command deploys and upgrades. A dry run only checks.
import { createHash, randomBytes } from "node:crypto";
import { configurationOf } from "./configuration.ts";
import { onlyVersion, share } from "./rollout.ts";
import { messageOf, storedVersions } from "./schema.ts";
import { type DeploySettings, databaseNames } from "./settings.ts";
import { type Smoke, smokeTest } from "./smoke.ts";
import { variables } from "./variables.ts";
import {
  deploymentsOf,
  ifDeployed,
  isSignedIn,
  requireAccount,
  versionOf,
  type Wrangler,
  type WranglerEvent,
} from "./wrangler.ts";

export interface Deployment {
  readonly settings: DeploySettings;
  readonly isDry: boolean;
  /** The previous number of databases while tenants move to the last one; undefined if they do not. */
  readonly before?: number;
  /** The share of the traffic for the new version. Undefined: all of it. */
  readonly percent?: number | undefined;
  readonly wrangler: Wrangler;
  /** The project's wrangler.toml. */
  readonly toml: string;
  /** The version of the service. */
  readonly version: string;
  /** The environment of the command, which has secrets. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The path of this deployment's configuration, and that of the temporary file for secrets. */
  readonly paths: { readonly configuration: string; readonly secrets: string };
  write(path: string, text: string): void;
  remove(path: string): void;
  say(line: string): void;
  nowMs(): number;
  /** Returns what wrangler has recorded of its uploads and deployments. */
  events(): readonly WranglerEvent[];
  readonly smoke: Pick<Smoke, "wait" | "fetch">;
}

/** Deploys. Returns the exit code. */
export async function deploy(options: Deployment): Promise<number> {
  const deployment = await signedIn(options);
  const { settings, say, isDry, percent } = deployment;
  await checkPlace(deployment);
  const before = percent === undefined || isDry ? "" : await onlyVersion(deployment);
  const ids = await databases(deployment);
  await bucket(deployment);
  await configure(deployment, ids);
  await migrate(deployment);
  const version = await upload(deployment, before);
  const key = await tenant(deployment);
  if (settings.domain && settings.wildcard) {
    say(`needed once, by hand: a proxied DNS record *.${settings.domain}, and a certificate for that name`);
  }
  if (isDry) {
    say("This was a dry run: nothing was changed. Run it with --yes to do it.");
    return 0;
  }
  await tryService(deployment, { key, version });
  say("Done.");
  return 0;
}

/** Runs the smoke test at the service's address. `version` is the one that must answer in a roll-out. */
export async function tryService(
  {
    settings,
    say,
    smoke,
    environment,
    events,
  }: Pick<Deployment, "settings" | "say" | "smoke" | "environment" | "events">,
  { key, version, isEarlier = false }: { key?: string | undefined; version?: string | undefined; isEarlier?: boolean },
): Promise<void> {
  const url = settings.domain ? `https://${settings.domain}` : lastTarget(events());
  if (url === undefined) return say("smoke test: left out, because wrangler names no address of the service");
  const inRollout = version === undefined ? undefined : { worker: settings.name, id: version };
  await smokeTest({ ...smoke, say, url, key: key ?? environment["SANDBAR_API_KEY"], version: inRollout, isEarlier });
}

/** Checks that wrangler is signed in. A dry run without an account shows what would be done in an empty one. */
async function signedIn(deployment: Deployment): Promise<Deployment> {
  const { wrangler, isDry, say } = deployment;
  if (!isDry) await requireAccount(wrangler);
  if (!isDry || (await isSignedIn(wrangler))) return deployment;
  say("not signed in: these are the steps in an empty account");
  return { ...deployment, wrangler: emptyAccount };
}

/** Answers for an account without anything. */
async function emptyAccount([first]: readonly string[]): Promise<string> {
  if (first === "secret" || first === "deployments") throw new Error("Worker not found [code: 10007]");
  return first === "d1" ? "[]" : "";
}

/** Throws if the jurisdiction of an existing service would change, because its objects would be others. */
async function checkPlace({ wrangler, settings }: Deployment): Promise<void> {
  const { name } = settings;
  const jurisdiction: string = settings.jurisdiction ?? "";
  const [current] = await deploymentsOf(wrangler, name);
  const id = current?.versions[0]?.version_id;
  if (id === undefined) return;
  const before = (await versionOf(wrangler, name, id)).variables.get("SANDBAR_JURISDICTION") ?? "";
  if (before === jurisdiction) return;
  const nameOf = (place: string) => (place === "" ? "none" : place);
  throw new Error(
    `the service was deployed with the jurisdiction ${nameOf(before)}, and cannot have ${nameOf(jurisdiction)}: its sandboxes would be lost`,
  );
}

function lastTarget(events: readonly WranglerEvent[]): string | undefined {
  const target = events.flatMap(({ targets }) => targets ?? []).findLast((text) => text.startsWith("https://"));
  return target?.replace(/\/$/, "");
}

/** Returns the options of new databases and buckets. */
function placeOf({ location, jurisdiction }: DeploySettings): string[] {
  if (jurisdiction) return ["--jurisdiction", jurisdiction];
  return location ? ["--location", location] : [];
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
    await wrangler(["d1", "create", name, ...placeOf(settings)]);
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

async function bucket({ settings, wrangler, isDry, say }: Deployment): Promise<void> {
  const { bucket: name, jurisdiction } = settings;
  const listed = await wrangler(["r2", "bucket", "list", ...(jurisdiction ? ["--jurisdiction", jurisdiction] : [])]);
  const names = [...listed.matchAll(/^name:\s+(\S+)\s*$/gm)].map(([, bucketName]) => bucketName);
  if (names.includes(name)) return say(`bucket ${name}: is there`);
  say(`bucket ${name}: ${isDry ? "would be made" : "is made"}`);
  if (!isDry) await wrangler(["r2", "bucket", "create", name, ...placeOf(settings)]);
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

/** Secrets that are made if there are none. They are never replaced: all ids and tokens are derived from the first. */
const madeSecrets: readonly string[] = ["SANDBAR_SECRET", "SANDBAR_OPERATOR_KEY"];

/** Returns the secrets to upload: made ones that do not exist yet, and others of the command's environment. */
async function newSecretsOf(deployment: Deployment): Promise<Record<string, string>> {
  const { settings, wrangler, isDry, say, environment } = deployment;
  const existingNames = await secretNames(wrangler, settings.name);
  const newSecrets: Record<string, string> = {};
  for (const { name, setting } of variables.filter(({ isSecret }) => isSecret)) {
    const secret = setting === "environment" ? environment[name] : undefined;
    const isThere = existingNames.includes(name);
    if (madeSecrets.includes(name) && isThere) say(`secret ${name}: is there`);
    else if (secret) newSecrets[name] = secret;
    else if (madeSecrets.includes(name))
      newSecrets[name] = `${name === "SANDBAR_OPERATOR_KEY" ? "sbo_" : ""}${randomBytes(32).toString("hex")}`;
    if (name in newSecrets)
      say(`secret ${name}: ${isDry ? "would be" : "is"} ${secret ? "taken from the environment" : "made"}`);
    requireSecret(settings, name, isThere || name in newSecrets);
  }
  return newSecrets;
}

/** Throws if a setting needs a secret that is neither stored nor in the environment. */
function requireSecret({ github }: DeploySettings, name: string, isThere: boolean): void {
  if (isThere || !github || name !== "SANDBAR_GITHUB_CLIENT_SECRET") return;
  throw new Error("github: set SANDBAR_GITHUB_CLIENT_SECRET to the secret of the OAuth app");
}

/** Builds the Worker and uploads it with new secrets: for all of the traffic, or for a share of it. Returns the id of a version with a share. */
async function upload(deployment: Deployment, before: string): Promise<string | undefined> {
  const { settings, wrangler, paths, write, remove, isDry, say, percent, version, environment } = deployment;
  const newSecrets = await newSecretsOf(deployment);
  const traffic = percent === undefined ? "" : ` for ${percent} % of the traffic`;
  say(`the Worker ${settings.name}: ${isDry ? "would be" : "is"} built and deployed${traffic}`);
  if (isDry) return undefined;
  const command = percent === undefined ? ["deploy"] : ["versions", "upload"];
  const words = [...command, "--config", paths.configuration, "--message", messageOf(version, storedVersions)];
  const hasSecrets = Object.keys(newSecrets).length > 0;
  if (hasSecrets) write(paths.secrets, JSON.stringify(newSecrets));
  try {
    await wrangler([...words, ...(hasSecrets ? ["--secrets-file", paths.secrets] : [])]);
  } finally {
    if (hasSecrets) remove(paths.secrets);
  }
  const next =
    percent === undefined
      ? undefined
      : (deployment.events().findLast(({ type }) => type === "version-upload")?.version_id ?? undefined);
  if (percent !== undefined) {
    if (!next) throw new Error("wrangler does not say which version it has uploaded");
    await share(deployment, { before, next, percent });
  }
  const { SANDBAR_OPERATOR_KEY: key } = newSecrets;
  if (key && key !== environment["SANDBAR_OPERATOR_KEY"]) say(`the operator's key, which is not shown again: ${key}`);
  return next;
}

/** Returns the names of secrets; none if the Worker does not exist yet. */
async function secretNames(wrangler: Wrangler, name: string): Promise<string[]> {
  // Another error is thrown: if existing secrets cannot be listed, none may be created, because another would end all sandboxes.
  const listed = await ifDeployed(() => wrangler(["secret", "list", "--name", name, "--format", "json"]));
  return (JSON.parse(listed ?? "[]") as { readonly name: string }[]).map((secret) => secret.name);
}

/** Creates the tenant and its key, unless the tenant has a key. Returns a new key. */
async function tenant({ settings, wrangler, paths, isDry, say, nowMs }: Deployment): Promise<string | undefined> {
  const { tenant: name } = settings;
  if (name === undefined) return undefined;
  if (isDry) {
    say(`tenant ${name}: would be made with a key, where there is none`);
    return undefined;
  }
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
  if (!/"n":\s*0\b/.test(keyCount)) {
    say(`tenant ${name}: is there`);
    return undefined;
  }
  const key = `sbk_${randomBytes(24).toString("hex")}`;
  const hash = createHash("sha256").update(key).digest("hex");
  await execute(
    `INSERT OR IGNORE INTO tenants (id, name, created_at_ms) VALUES ('${name}', '${name}', ${nowMs()}); ` +
      `INSERT INTO api_keys (hash, tenant_id, created_at_ms) VALUES ('${hash}', '${name}', ${nowMs()})`,
  );
  say(`the key of tenant ${name}, which is not shown again: ${key}`);
  return key;
}
