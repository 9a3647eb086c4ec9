// Commands for embedding: publishable keys, and learning management systems that launch lessons by LTI.
import type { CreateLtiPlatform, CreatePublishableKey, LtiPlatform } from "../index.ts";
import type { Run } from "./command-run.ts";
import { numberOf, secondsOf, UsageError } from "./values.ts";
import { type CommandHandler, runSubcommand, optional, printJson, table } from "./print.ts";

export const hostedPages: Readonly<Record<string, CommandHandler>> = {
  "publishable-key": (run) => runSubcommand(run, { create: createKey, list: listKeys, revoke: revokeKeys }),
  lti: (run) => runSubcommand(run, { tool, register, add, list: platforms, show, change, remove, scores }),
};

async function createKey(run: Run): Promise<void> {
  const [name, ttl] = [run.text("name"), run.text("ttl")];
  const [origins, templates, lessons] = [run.texts("origin"), run.texts("template"), run.texts("lesson")];
  if (name === undefined || origins.length === 0) throw new UsageError("--name and --origin are required");
  const input: CreatePublishableKey = {
    name,
    origins: [...origins],
    templates: [...templates],
    lessons: [...lessons],
    ...(ttl === undefined ? {} : { ttlSeconds: secondsOf(ttl, "--ttl") }),
    limits: {
      ...bound(run, "per-visitor", "perVisitor"),
      ...bound(run, "at-once", "atOnce"),
      ...bound(run, "per-hour", "perHour"),
      ...bound(run, "per-address", "perAddress"),
    },
  };
  const createdKey = await run.client.createPublishableKey(input);
  if (run.has("json")) return printJson(run, createdKey);
  run.say(`for pages of ${createdKey.origins.join(", ")}`);
  run.print(`${createdKey.key}\n`);
}

function bound<N extends string>(run: Run, option: string, name: N): Partial<Record<N, number>> {
  const text = run.text(option);
  return text === undefined ? {} : ({ [name]: numberOf(text, `--${option}`) } as Partial<Record<N, number>>);
}

async function listKeys(run: Run): Promise<void> {
  const { publishableKeys } = await run.client.listPublishableKeys();
  if (run.has("json")) return printJson(run, publishableKeys);
  const rows = publishableKeys.map(({ key, name, origins, templates, lessons }) => {
    return [key, name, origins.join(","), [...templates, ...lessons].join(",")];
  });
  run.print(table(["KEY", "NAME", "ORIGINS", "GIVES"], rows));
}

async function revokeKeys(run: Run): Promise<void> {
  if (run.words.length === 0) throw new UsageError("name the keys");
  for (const key of run.words) {
    await run.client.revokePublishableKey(key);
    run.say(`${key} is revoked`);
  }
}

/** Prints the values that an administrator enters into a learning management system. */
async function tool(run: Run): Promise<void> {
  printJson(run, await run.client.lti.getLtiTool());
}

async function register(run: Run): Promise<void> {
  const registration = await run.client.lti.createLtiRegistration();
  if (run.has("json")) return printJson(run, registration);
  run.say(`for one platform, until ${registration.expiresAt}`);
  run.print(`${registration.url}\n`);
}

const required = {
  name: "name",
  issuer: "issuer",
  clientId: "client-id",
  authorizationUrl: "authorization-url",
  tokenUrl: "token-url",
  jwksUrl: "jwks-url",
} as const;

async function add(run: Run): Promise<void> {
  const requiredFields = Object.entries(required).map(([field, option]): [string, string] => {
    const value = run.text(option);
    if (value === undefined) throw new UsageError(`--${option} is required`);
    return [field, value];
  });
  const deployments = run.texts("deployment");
  const input = { ...Object.fromEntries(requiredFields), ...optional("audience", run.text("audience")), deployments };
  // The loop above has checked all required fields.
  const created = await run.client.lti.createLtiPlatform(input as CreateLtiPlatform);
  if (run.has("json")) return printJson(run, created);
  run.print(`${created.id}\n`);
}

async function platforms(run: Run): Promise<void> {
  const { platforms: all } = await run.client.lti.listLtiPlatforms();
  if (run.has("json")) return printJson(run, all);
  const cells = ({ id, name, issuer, clientId, deployments }: LtiPlatform) => {
    return [id, name, issuer, clientId, deployments.join(",")];
  };
  run.print(table(["PLATFORM", "NAME", "ISSUER", "CLIENT ID", "DEPLOYMENTS"], all.map(cells)));
}

async function show(run: Run): Promise<void> {
  printJson(run, await run.client.lti.getLtiPlatform(platformOf(run)));
}

async function change(run: Run): Promise<void> {
  const deployments = run.texts("deployment");
  const to = {
    ...optional("name", run.text("name")),
    ...(deployments.length > 0 ? { deployments: [...deployments] } : {}),
  };
  if (Object.keys(to).length === 0) throw new UsageError("give --name or --deployment");
  printJson(run, await run.client.lti.changeLtiPlatform(platformOf(run), to));
}

async function remove(run: Run): Promise<void> {
  const platform = platformOf(run);
  await run.client.lti.deleteLtiPlatform(platform);
  run.say(`${platform} is removed`);
}

async function scores(run: Run): Promise<void> {
  const { deliveries } = await run.client.lti.listLtiScores(platformOf(run));
  if (run.has("json")) return printJson(run, deliveries);
  const rows = deliveries.map((delivery) => [
    delivery.createdAt,
    delivery.state,
    String(delivery.attempts),
    String(delivery.status ?? ""),
    delivery.error ?? "",
  ]);
  run.print(table(["CREATED", "STATE", "ATTEMPTS", "STATUS", "ERROR"], rows));
}

function platformOf({ words: [platform] }: Run): string {
  if (platform === undefined) throw new UsageError("name the platform by its id");
  return platform;
}
