// Generates the configuration for wrangler: the project's wrangler.toml with the settings of this deployment.
import { type DeploySettings, databaseNames } from "./settings.ts";

/**
 * Returns the configuration. `ids`: ids of the databases by name. `before`: the previous number of databases, while tenants move to the
 * last one.
 */
export function configurationOf(
  toml: string,
  settings: DeploySettings,
  ids: ReadonlyMap<string, string>,
  before?: number,
): string {
  const { name, bucket, domain, wildcard, plan, trial } = settings;
  const sharedTables = withoutTables(toml, ["[[d1_databases]]", "[[r2_buckets]]"]);
  const zone = settings.zone ?? domain?.split(".").slice(-2).join(".");
  const routes = [
    ...(domain ? [`{ pattern = ${text(domain)}, custom_domain = true }`] : []),
    ...(domain && wildcard ? [`{ pattern = ${text(`*.${domain}/*`)}, zone_name = ${text(zone ?? "")} }`] : []),
  ];
  const top = [
    `name = ${text(name)}`,
    ...(routes.length > 0 ? [`routes = [${routes.join(", ")}]`, "workers_dev = false"] : []),
  ];
  const vars = [
    "[vars]",
    `SANDBAR_PLAN = ${text(plan)}`,
    ...(before === undefined ? [] : [`SANDBAR_DATABASES_BEFORE = ${text(String(before))}`]),
    ...(trial ? [`SANDBAR_TRIAL = "on"`] : []),
    ...(domain ? [`SANDBAR_SERVER = ${text(`https://${domain}`)}`] : []),
    ...(domain && wildcard ? [`SANDBAR_DOMAIN = ${text(domain)}`] : []),
  ];
  const databases = databaseNames(settings).map((databaseName, at) =>
    [
      "[[d1_databases]]",
      `binding = ${text(at === 0 ? "DB" : `DB_${at}`)}`,
      `database_name = ${text(databaseName)}`,
      `database_id = ${text(ids.get(databaseName) ?? "00000000-0000-0000-0000-000000000000")}`,
      'migrations_dir = "migrations"',
    ].join("\n"),
  );
  const files = ["[[r2_buckets]]", 'binding = "FILES"', `bucket_name = ${text(bucket)}`].join("\n");
  const named = sharedTables.replace(/^name = .*$/m, top.join("\n"));
  return `${[named.trimEnd(), vars.join("\n"), ...databases, files].join("\n\n")}\n`;
}

/** Removes tables, each from its heading to the next. */
function withoutTables(toml: string, headings: readonly string[]): string {
  let isLeftOut = false;
  const lines = toml.split("\n").filter((line) => {
    if (line.startsWith("[")) isLeftOut = headings.includes(line.trim());
    return !isLeftOut;
  });
  return lines.join("\n");
}

/** Quotes a text: a basic string of TOML is one of JSON. */
function text(value: string): string {
  return JSON.stringify(value);
}
