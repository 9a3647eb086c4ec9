// The configuration that wrangler is given: the project's wrangler.toml with what is this deployment's own.
import { type DeploySettings, databaseNames } from "./settings.ts";

/** `ids`: of the databases, by their names. `before`: how many of these there were, while tenants move to the last. */
export function configurationOf(
  toml: string,
  settings: DeploySettings,
  ids: ReadonlyMap<string, string>,
  before?: number,
): string {
  const { name, bucket, domain, wildcard, plan, trial } = settings;
  const kept = withoutTables(toml, ["[[d1_databases]]", "[[r2_buckets]]"]);
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
  const databases = databaseNames(settings).map((one, at) =>
    [
      "[[d1_databases]]",
      `binding = ${text(at === 0 ? "DB" : `DB_${at}`)}`,
      `database_name = ${text(one)}`,
      `database_id = ${text(ids.get(one) ?? "00000000-0000-0000-0000-000000000000")}`,
      'migrations_dir = "migrations"',
    ].join("\n"),
  );
  const files = ["[[r2_buckets]]", 'binding = "FILES"', `bucket_name = ${text(bucket)}`].join("\n");
  const named = kept.replace(/^name = .*$/m, top.join("\n"));
  return `${[named.trimEnd(), vars.join("\n"), ...databases, files].join("\n\n")}\n`;
}

/** Each from its heading to the next. */
function withoutTables(toml: string, headings: readonly string[]): string {
  let isLeftOut = false;
  const lines = toml.split("\n").filter((line) => {
    if (line.startsWith("[")) isLeftOut = headings.includes(line.trim());
    return !isLeftOut;
  });
  return lines.join("\n");
}

/** A basic string of TOML is one of JSON. */
function text(value: string): string {
  return JSON.stringify(value);
}
