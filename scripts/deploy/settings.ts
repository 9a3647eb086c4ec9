// The settings of a deployment, from a file or from answers on the terminal.
import * as z from "zod";
import { planNames } from "../../shared/contract/hosted/plan.ts";
import { givenLimits } from "../../shared/contract/sandbox-limits.ts";
import { mailSettings } from "../../shared/contract/hosted/mail.ts";

const label = z
  .string()
  .regex(/^[a-z0-9]([-a-z0-9]{0,50}[a-z0-9])?$/, "must consist of lower case letters, digits and '-'");
const domain = z
  .string()
  .regex(/^([a-z0-9]([-a-z0-9]*[a-z0-9])?\.)+[a-z]{2,}$/, "must be a domain, such as sandbar.example.org");

/** The settings that become variables of the Worker. Absent: what was set elsewhere stays; null: it is cleared. */
const variableSettings = {
  /** The plan of tenants without another plan. */
  plan: z.enum(planNames).nullable().optional(),
  /** True, or the difficulty of a trial in bits. */
  trial: z
    .union([z.boolean(), z.int().min(1).max(32)])
    .nullable()
    .optional(),
  /** Limits of new sandboxes. */
  limits: givenLimits.nullable().optional(),
  kubeletDelays: z.literal("zero").nullable().optional(),
  /** `cf`, or the name of a header. */
  clientCertificates: z.string().min(1).max(100).nullable().optional(),
  /** The OAuth app for sign-in with GitHub. Its secret is taken from SANDBAR_GITHUB_CLIENT_SECRET. */
  github: z
    .strictObject({ clientId: z.string().min(1), url: z.url().optional(), api: z.url().optional() })
    .nullable()
    .optional(),
  /** The base address of an OpenTelemetry collector. Its headers are taken from SANDBAR_OTLP_HEADERS. */
  otlpEndpoint: z.url().nullable().optional(),
  signUp: z.literal("open").nullable().optional(),
  /** The request by which invitations are sent. Its key is taken from SANDBAR_MAIL_KEY. */
  mail: mailSettings.nullable().optional(),
};

const deployFields = {
  /** The Worker's name. */
  name: label.default("sandbar"),
  /** The service's domain, below a zone of the account. Default: the platform's own name. */
  domain: domain.optional(),
  /** The zone. Default: the last two labels of the domain. */
  zone: domain.optional(),
  /** Whether each sandbox has its own name, `<id>.<domain>`. This needs a wildcard record and certificate. */
  wildcard: z.boolean().optional(),
  database: label.default("sandbar"),
  /** The number of databases for tenants. `npm run grow` increases it once there are tenants. */
  databases: z.int().min(1).max(10).default(1),
  bucket: label.default("sandbar"),
  /** The first tenant, for which a key is created once. */
  tenant: label.optional(),
  /** A region as a hint for new databases, the bucket and Durable Objects. */
  location: z.enum(["weur", "eeur", "apac", "oc", "wnam", "enam"]).optional(),
  /** The jurisdiction in which everything is stored and runs. It cannot be changed after the first deployment. */
  jurisdiction: z.enum(["eu", "fedramp", "us"]).optional(),
  /** The CPU time of a request in milliseconds. The platform's default is 30,000; its free plan accepts no value. */
  cpuMs: z.int().min(10).max(300_000).optional(),
  ...variableSettings,
};

export const deploySettings = z.strictObject(deployFields).superRefine((settings, context) => {
  const add = (path: string, message: string) => context.addIssue({ code: "custom", path: [path], message });
  if (settings.wildcard && !settings.domain) add("wildcard", "needs a domain");
  if (settings.jurisdiction && settings.location)
    add("location", "has no effect with a jurisdiction: leave one of them out");
});

export type DeploySettings = z.output<typeof deploySettings>;

/** A file of settings: those of the service, and what differs in other environments, such as `staging`. */
const settingsFile = z.strictObject({
  ...deployFields,
  environments: z.record(label, z.looseObject({})).default({}),
});

/** The settings that an environment shares with nothing else of the account. */
const separateNames = ["name", "database", "bucket"] as const;
/** The settings that another environment does not inherit, because two services cannot have the same. */
const ownSettings = ["domain", "zone", "wildcard"];

/**
 * Parses a file. In an environment, its settings replace those of the service; the names of Worker, database and bucket end with the
 * environment's unless it has others. Throws a sentence for each problem.
 */
export function parseSettings(file: unknown, environment?: string): DeploySettings {
  const { environments, ...service } = parse(settingsFile, file);
  if (environment === undefined) return parse(deploySettings, service);
  const changes = environments[environment];
  if (!changes) {
    const names = Object.keys(environments);
    throw new Error(
      `there is no environment ${environment} in the settings${names.length > 0 ? `, only ${names.join(", ")}` : ""}`,
    );
  }
  const inherited = Object.entries(service).filter(([name]) => !ownSettings.includes(name));
  const named = separateNames.map((name) => [name, `${service[name]}-${environment}`] as const);
  return parse(deploySettings, { ...Object.fromEntries([...inherited, ...named]), ...changes });
}

function parse<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const problems = result.error.issues.map(({ path, message }) => `${path.join(".") || "the settings"}: ${message}`);
  throw new Error(problems.join("\n"));
}

/** The questions if there is no file, with the meaning of an empty answer. */
export const questions: readonly { readonly field: keyof DeploySettings; readonly text: string }[] = [
  { field: "name", text: "Name of the Worker (sandbar): " },
  { field: "domain", text: "Domain of the service, below a zone of the account (none: the platform's own): " },
  { field: "wildcard", text: "A name of its own for each sandbox, <id>.<domain>? yes or no (no): " },
  { field: "jurisdiction", text: "Jurisdiction of all data, which never changes: eu, us, fedramp (none): " },
  { field: "plan", text: `Plan of new tenants: ${planNames.join(", ")} (as before, at first free): ` },
  { field: "trial", text: "Trials without a key? yes or no (no): " },
  { field: "tenant", text: "First tenant, for which a key is made (none): " },
];

/** Parses answers as they were typed; empty ones are left out. Throws if one is not valid. */
export function settingsOf(answers: Readonly<Record<string, unknown>>): DeploySettings {
  const fields = Object.entries(answers)
    .filter(([, value]) => value !== "")
    .map(([field, value]) => [field, value === "yes" ? true : value === "no" ? false : value]);
  return parse(deploySettings, Object.fromEntries(fields));
}

/** Returns the names `sandbar`, `sandbar-1`, `sandbar-2`. The first has no number, because a service begins with one database. */
export function databaseNames({ database, databases }: Pick<DeploySettings, "database" | "databases">): string[] {
  return Array.from({ length: databases }, (_, at) => (at === 0 ? database : `${database}-${at}`));
}
