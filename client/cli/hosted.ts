// Commands for templates, usage, webhooks and trials, and for operators of the service.
import {
  type CreateTemplate,
  type ImportedTenants,
  type ImportTenants,
  type SandboxWithToken,
  type Usage,
  type UsageQuery,
  solveChallenge,
} from "../index.ts";
import { numberOf, readInput, UsageError } from "./values.ts";
import { readImages } from "./read-images.ts";
import { manifestsOf, sending } from "./manifests.ts";
import { type CommandHandler, optional, printJson, requiredWord, runSubcommand, table } from "./print.ts";
import type { Run } from "./command-run.ts";
import { readPages } from "./pages.ts";

export const hosted: Readonly<Record<string, CommandHandler>> = {
  template: (run) => runSubcommand(run, { save, list, show, delete: remove }),
  usage: async (run) => printUsage(run, await run.client.getUsage(days(run))),
  limits: ownLimits,
  webhook: (run) =>
    runSubcommand(run, {
      add,
      list: webhooks,
      remove: removeWebhook,
      test: testWebhook,
      rotate: rotateWebhook,
      redeliver,
      log: deliveries,
    }),
  trial,
  admin: (run) =>
    runSubcommand(run, {
      tenants,
      tenant,
      plan,
      limits,
      suspend,
      resume,
      usage: tenantUsage,
      sandboxes,
      health,
      reconcile,
      metrics,
      audit: operatorsAudit,
      stored,
      deletion,
      "delete-person": deletePerson,
      create: createTenant,
      "delete-tenant": deleteTenant,
      "delete-sandbox": deleteAnySandbox,
      import: importTenants,
    }),
};

async function save(run: Run): Promise<void> {
  const manifests = manifestsOf(run.texts("file"));
  const nodes = run.text("nodes");
  const input: CreateTemplate = {
    name: requiredWord(run, "the template"),
    ...optional("description", run.text("description")),
    ...optional("sandbox", run.text("sandbox")),
    ...optional("snapshot", run.text("snapshot")),
    ...(nodes === undefined ? {} : { nodes: numberOf(nodes, "--nodes") }),
    ...(manifests.pieces.length > 0 ? { manifests: manifests.text } : {}),
    ...(await readImages(run)),
  };
  const created = await sending(manifests, () => run.client.createTemplate(input));
  if (run.has("json")) return printJson(run, created);
  run.print(`${created.ref}\n`);
}

async function list(run: Run): Promise<void> {
  const { templates } = await run.client.listTemplates(run.words[0]);
  if (run.has("json")) return printJson(run, templates);
  const rows = templates.map((template) => [
    template.ref,
    template.builtIn ? "yes" : "",
    String(template.nodes),
    template.description,
  ]);
  run.print(table(["TEMPLATE", "BUILT-IN", "NODES", "DESCRIPTION"], rows));
}

async function show(run: Run): Promise<void> {
  printJson(run, await run.client.getTemplate(requiredWord(run, "the template")));
}

async function remove(run: Run): Promise<void> {
  const name = requiredWord(run, "the template");
  await run.client.deleteTemplate(name);
  run.say(`${name} is deleted`);
}

function days(run: Run): UsageQuery {
  return {
    ...optional("from", run.text("from")),
    ...optional("to", run.text("to")),
    ...(run.has("by-day") ? { by: "day" as const } : {}),
  };
}

function printUsage(run: Run, usage: Usage): void {
  if (run.has("json")) return printJson(run, usage);
  const head = ["DAY", "SANDBOX", "HOURS", "REQUESTS", "ROWS WRITTEN", "BYTES", "PRICE"];
  const cells = (day: string, name: string, costs: Usage["total"]) => [
    day,
    name,
    costs.sandboxHours.toFixed(2),
    String(costs.requests),
    String(costs.rowsWritten),
    String(costs.bytes),
    `$${costs.price.toFixed(4)}`,
  ];
  const withoutSandbox = run.has("by-day") ? "" : "(event streams)";
  const rows = usage.rows.map(({ day, sandbox, ...costs }) => cells(day, sandbox?.name ?? withoutSandbox, costs));
  run.print(table(head, [...rows, cells("total", "", usage.total)]));
}

async function ownLimits(run: Run): Promise<void> {
  const ownLimitsAnswer = await run.client.getLimits();
  if (run.has("json")) return printJson(run, ownLimitsAnswer);
  const used: Readonly<Record<string, number>> = ownLimitsAnswer.used;
  const rows = Object.entries(ownLimitsAnswer.limits).map(([limit, value]) => [
    limit,
    value === null ? "none" : String(value),
    String(used[limit] ?? ""),
  ]);
  run.print(table(["LIMIT", ownLimitsAnswer.plan.toUpperCase(), "USED"], rows));
}

async function add(run: Run): Promise<void> {
  const events = run.texts("event");
  const created = await run.client.createWebhook({
    url: requiredWord(run, "the address"),
    // The service reports unknown events with the list of known ones.
    ...(events.length > 0
      ? { events: events as NonNullable<Parameters<typeof run.client.createWebhook>[0]["events"]> }
      : {}),
  });
  if (run.has("json")) return printJson(run, created);
  run.say(`webhook ${created.id}; its secret is`);
  run.print(`${created.secret}\n`);
}

async function webhooks(run: Run): Promise<void> {
  const registered = (await run.client.listWebhooks()).webhooks;
  if (run.has("json")) return printJson(run, registered);
  const rows = registered.map((webhook) => [
    webhook.id,
    webhook.enabled ? "" : "off",
    webhook.url,
    webhook.events.join(","),
  ]);
  run.print(table(["WEBHOOK", "STATE", "ADDRESS", "EVENTS"], rows));
}

async function removeWebhook(run: Run): Promise<void> {
  await run.client.deleteWebhook(requiredWord(run, "the webhook"));
}

async function rotateWebhook(run: Run): Promise<void> {
  const rotated = await run.client.rotateWebhook(requiredWord(run, "the webhook"));
  if (run.has("json")) return printJson(run, rotated);
  run.say(`the secret before signs, too, until ${rotated.previousSecretUntil ?? "now"}; the new one is`);
  run.print(`${rotated.secret}\n`);
}

async function redeliver(run: Run): Promise<void> {
  const [webhook = "", delivery] = run.words;
  if (delivery === undefined) throw new UsageError("name the webhook, and the delivery by its id in the log");
  run.print(`${(await run.client.redeliver(webhook, delivery)).delivery}\n`);
}

async function testWebhook(run: Run): Promise<void> {
  run.print(`${(await run.client.testWebhook(requiredWord(run, "the webhook"))).delivery}\n`);
}

async function deliveries(run: Run): Promise<void> {
  const attempts = (await run.client.listDeliveries(requiredWord(run, "the webhook"))).deliveries;
  if (run.has("json")) return printJson(run, attempts);
  const rows = attempts.map((delivery) => [
    delivery.id,
    delivery.createdAt,
    delivery.type,
    delivery.state,
    String(delivery.attempts),
    String(delivery.status ?? ""),
    delivery.error ?? "",
  ]);
  run.print(table(["DELIVERY", "CREATED", "EVENT", "STATE", "ATTEMPTS", "STATUS", "ERROR"], rows));
}

async function stored(run: Run): Promise<void> {
  printJson(run, await run.client.operator.getStoredData(requiredWord(run, "the organisation")));
}

async function deletion(run: Run): Promise<void> {
  printJson(run, await run.client.operator.getDeletionReport(requiredWord(run, "the organisation")));
}

async function trial(run: Run): Promise<void> {
  const challenge = await run.client.getTrialChallenge();
  run.say("working for it: some seconds");
  const answer = await solveChallenge(challenge, run.signal);
  const createdTrial = await run.client.createTrial({
    challenge: challenge.challenge,
    answer,
    ...optional("template", run.text("template")),
  });
  if (run.has("json")) return printJson(run, createdTrial);
  run.say(`sandbox ${createdTrial.id} until ${createdTrial.expiresAt}`);
  // JSON is also YAML.
  printJson(run, kubeconfig(createdTrial));
}

function kubeconfig({ name, server, token, ca }: SandboxWithToken) {
  const authority = ca === undefined ? {} : { "certificate-authority-data": btoa(ca) };
  return {
    apiVersion: "v1",
    kind: "Config",
    "current-context": name,
    clusters: [{ name, cluster: { server, ...authority } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    users: [{ name, user: { token } }],
  };
}

async function tenants(run: Run): Promise<void> {
  const all = await readPages(
    (page) => run.client.operator.listOperatedTenants(page),
    ({ tenants: listed }) => listed,
  );
  if (run.has("json")) return printJson(run, all);
  run.print(
    table(
      ["TENANT", "NAME", "PLAN", "SUSPENDED"],
      all.map((tenant) => [tenant.id, tenant.name, tenant.plan, tenant.suspended ?? ""]),
    ),
  );
}

async function tenant(run: Run): Promise<void> {
  printJson(run, await run.client.operator.getOperatedTenant(requiredWord(run, "the tenant")));
}

async function plan(run: Run): Promise<void> {
  const [name = "", to = ""] = run.words;
  // The service reports unknown plans with the list of known ones. "usual" stands for the service's default.
  const chosen = (to === "usual" ? null : to) as NonNullable<
    Parameters<typeof run.client.operator.changeOperatedTenant>[1]["plan"]
  > | null;
  printJson(run, await run.client.operator.changeOperatedTenant(name, { plan: chosen }));
}

/** Parses limits such as `nodes=5 objects=100`. */
async function limits(run: Run): Promise<void> {
  const [name = "", ...pairs] = run.words;
  const overrides = Object.fromEntries(
    pairs.map((pair) => {
      const [key = "", value = ""] = pair.split("=");
      return [key, value === "none" ? null : numberOf(value, key)];
    }),
  );
  printJson(run, await run.client.operator.changeOperatedTenant(name, { overrides }));
}

async function suspend(run: Run): Promise<void> {
  const [name = "", ...why] = run.words;
  if (why.length === 0) throw new UsageError("say why, for the tenant");
  printJson(run, await run.client.operator.changeOperatedTenant(name, { suspended: why.join(" ") }));
}

async function resume(run: Run): Promise<void> {
  printJson(run, await run.client.operator.changeOperatedTenant(requiredWord(run, "the tenant"), { suspended: null }));
}

async function tenantUsage(run: Run): Promise<void> {
  const [name] = run.words;
  if (name !== undefined) return printUsage(run, await run.client.operator.getTenantUsage(name, days(run)));
  // Without a tenant: all of them.
  const { by: _, ...between } = days(run);
  run.print(await run.client.operator.serviceUsageCsv(between));
}

async function sandboxes(run: Run): Promise<void> {
  const name = requiredWord(run, "the tenant");
  const all = await readPages(
    (page) => run.client.operator.listTenantSandboxes(name, page),
    ({ sandboxes: listed }) => listed,
  );
  printJson(run, all);
}

async function health(run: Run): Promise<void> {
  printJson(run, await run.client.operator.getSandboxHealth(requiredWord(run, "the sandbox by its id")));
}

async function reconcile(run: Run): Promise<void> {
  printJson(run, await run.client.operator.reconcileTenant(requiredWord(run, "the tenant")));
}

async function operatorsAudit(run: Run): Promise<void> {
  const limit = numberOf(run.text("limit") ?? "100", "--limit");
  const entries = await readPages(
    (page) => run.client.operator.listOperatorsAudit(page),
    (page) => page.entries,
    limit,
  );
  if (run.has("json")) return printJson(run, entries);
  const rows = entries.map(({ at, tenant: of, action, outcome, changed }) => [
    at,
    of,
    action,
    outcome,
    changed ? JSON.stringify(changed) : "",
  ]);
  run.print(table(["WHEN", "TENANT", "ACTION", "OUTCOME", "CHANGED"], rows));
}

async function deletePerson(run: Run): Promise<void> {
  await run.client.operator.deletePerson(requiredWord(run, "the person by the id"));
}

async function createTenant(run: Run): Promise<void> {
  const name = run.text("name");
  const id = requiredWord(run, "the tenant");
  const created = await run.client.operator.createOperatedTenant({ id, key: true, ...optional("name", name) });
  if (run.has("json")) return printJson(run, created);
  run.say(`tenant ${created.id}; its key is shown this once`);
  run.print(`${created.key ?? ""}\n`);
}

async function deleteTenant(run: Run): Promise<void> {
  const id = requiredWord(run, "the tenant");
  await run.client.operator.deleteOperatedTenant(id);
  run.say(`${id} is deleted`);
}

async function deleteAnySandbox(run: Run): Promise<void> {
  const id = requiredWord(run, "the sandbox by its id");
  await run.client.operator.deleteAnySandbox(id);
  run.say(`${id} is deleted`);
}

/** Imports the tenants of a file of JSON. Returns 1 if an entry failed. */
async function importTenants(run: Run): Promise<number> {
  const file = requiredWord(run, "a file of JSON, or - for the input");
  const input: unknown = parseJson(new TextDecoder().decode(readInput(file)), file);
  // The service reports what is not valid.
  const { tenants: imported } = await run.client.operator.importTenants(input as ImportTenants);
  if (run.has("json")) printJson(run, imported);
  else run.print(table(["ENTRY", "OUTCOME", "RESULT"], imported.flatMap(importRows)));
  const isFailed = ({ outcome }: { readonly outcome: string }) => outcome === "failed";
  return imported.some((of) => isFailed(of) || of.members.some(isFailed) || of.sandboxes.some(isFailed)) ? 1 : 0;
}

function importRows({
  id,
  outcome,
  error,
  members,
  sandboxes: sandboxRows,
}: ImportedTenants["tenants"][number]): string[][] {
  return [
    [id, outcome, error?.message ?? ""],
    ...members.map((member) => [`${id}: ${member.email}`, member.outcome, member.error?.message ?? member.url ?? ""]),
    ...sandboxRows.map((sandbox) => [
      `${id}: ${sandbox.name}`,
      sandbox.outcome,
      sandbox.error?.message ?? sandbox.id ?? "",
    ]),
  ];
}

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function metrics(run: Run): Promise<void> {
  run.print(await run.client.operator.metrics());
}
