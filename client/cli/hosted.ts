// The commands of templates, usage, webhooks and trials, and those of who runs the service.
import { type CreateTemplate, type SandboxWithToken, type Usage, type UsageQuery, solveChallenge } from "../index.ts";
import { numberOf, UsageError } from "./given.ts";
import { imagesGiven } from "./images-given.ts";
import { manifestsOf, sending } from "./manifests.ts";
import { type Deed, oneOf, optional, printJson, table } from "./print.ts";
import type { Run } from "./command-run.ts";

export const hosted: Readonly<Record<string, Deed>> = {
  template: (run) => oneOf(run, { save, list, show, delete: remove }),
  usage: async (run) => printUsage(run, await run.client.getUsage(days(run))),
  limits: ownLimits,
  webhook: (run) => oneOf(run, { add, list: webhooks, remove: removeWebhook, test: testWebhook, log: deliveries }),
  trial,
  admin: (run) =>
    oneOf(run, {
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
      "delete-person": deletePerson,
    }),
};

function wanted({ words }: Run, what: string): string {
  const [word] = words;
  if (word === undefined) throw new UsageError(`name ${what}`);
  return word;
}

async function save(run: Run): Promise<void> {
  const manifests = manifestsOf(run.texts("file"));
  const nodes = run.text("nodes");
  const input: CreateTemplate = {
    name: wanted(run, "the template"),
    ...optional("description", run.text("description")),
    ...optional("sandbox", run.text("sandbox")),
    ...optional("snapshot", run.text("snapshot")),
    ...(nodes === undefined ? {} : { nodes: numberOf(nodes, "--nodes") }),
    ...(manifests.pieces.length > 0 ? { manifests: manifests.text } : {}),
    ...(await imagesGiven(run)),
  };
  const made = await sending(manifests, () => run.client.createTemplate(input));
  if (run.has("json")) return printJson(run, made);
  run.print(`${made.ref}\n`);
}

async function list(run: Run): Promise<void> {
  const { templates } = await run.client.listTemplates(run.words[0]);
  if (run.has("json")) return printJson(run, templates);
  const rows = templates.map((one) => [one.ref, one.builtIn ? "yes" : "", String(one.nodes), one.description]);
  run.print(table(["TEMPLATE", "BUILT-IN", "NODES", "DESCRIPTION"], rows));
}

async function show(run: Run): Promise<void> {
  printJson(run, await run.client.getTemplate(wanted(run, "the template")));
}

async function remove(run: Run): Promise<void> {
  const name = wanted(run, "the template");
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

function printUsage(run: Run, found: Usage): void {
  if (run.has("json")) return printJson(run, found);
  const head = ["DAY", "SANDBOX", "HOURS", "REQUESTS", "ROWS WRITTEN", "BYTES", "PRICE"];
  const cells = (day: string, name: string, one: Usage["total"]) => [
    day,
    name,
    one.sandboxHours.toFixed(2),
    String(one.requests),
    String(one.rowsWritten),
    String(one.bytes),
    `$${one.price.toFixed(4)}`,
  ];
  const rows = found.rows.map(({ day, sandbox, ...one }) => cells(day, sandbox?.name ?? "", one));
  run.print(table(head, [...rows, cells("total", "", found.total)]));
}

async function ownLimits(run: Run): Promise<void> {
  const found = await run.client.getLimits();
  if (run.has("json")) return printJson(run, found);
  const used: Readonly<Record<string, number>> = found.used;
  const rows = Object.entries(found.limits).map(([limit, value]) => [
    limit,
    value === null ? "none" : String(value),
    String(used[limit] ?? ""),
  ]);
  run.print(table(["LIMIT", found.plan.toUpperCase(), "USED"], rows));
}

async function add(run: Run): Promise<void> {
  const events = run.texts("event");
  const made = await run.client.createWebhook({
    url: wanted(run, "the address"),
    // The service says which there are.
    ...(events.length > 0
      ? { events: events as NonNullable<Parameters<typeof run.client.createWebhook>[0]["events"]> }
      : {}),
  });
  if (run.has("json")) return printJson(run, made);
  run.say(`webhook ${made.id}; its secret is`);
  run.print(`${made.secret}\n`);
}

async function webhooks(run: Run): Promise<void> {
  const found = (await run.client.listWebhooks()).webhooks;
  if (run.has("json")) return printJson(run, found);
  const rows = found.map((one) => [one.id, one.enabled ? "" : "off", one.url, one.events.join(",")]);
  run.print(table(["WEBHOOK", "STATE", "ADDRESS", "EVENTS"], rows));
}

async function removeWebhook(run: Run): Promise<void> {
  await run.client.deleteWebhook(wanted(run, "the webhook"));
}

async function testWebhook(run: Run): Promise<void> {
  run.print(`${(await run.client.testWebhook(wanted(run, "the webhook"))).delivery}\n`);
}

async function deliveries(run: Run): Promise<void> {
  const found = (await run.client.listDeliveries(wanted(run, "the webhook"))).deliveries;
  if (run.has("json")) return printJson(run, found);
  const rows = found.map((one) => [
    one.createdAt,
    one.type,
    one.state,
    String(one.attempts),
    String(one.status ?? ""),
    one.error ?? "",
  ]);
  run.print(table(["CREATED", "EVENT", "STATE", "ATTEMPTS", "STATUS", "ERROR"], rows));
}

async function trial(run: Run): Promise<void> {
  const asked = await run.client.getTrialChallenge();
  run.say("working for it: some seconds");
  const answer = await solveChallenge(asked, run.signal);
  const made = await run.client.createTrial({
    challenge: asked.challenge,
    answer,
    ...optional("template", run.text("template")),
  });
  if (run.has("json")) return printJson(run, made);
  run.say(`sandbox ${made.id} until ${made.expiresAt}`);
  // JSON is YAML.
  printJson(run, kubeconfig(made));
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
  const all = [];
  for (let cursor: string | undefined, page = 0; page === 0 || cursor !== undefined; page++) {
    const found = await run.client.operator.listOperatedTenants(cursor === undefined ? {} : { cursor });
    all.push(...found.tenants);
    cursor = found.nextCursor;
  }
  if (run.has("json")) return printJson(run, all);
  run.print(
    table(
      ["TENANT", "NAME", "PLAN", "SUSPENDED"],
      all.map((one) => [one.id, one.name, one.plan, one.suspended ?? ""]),
    ),
  );
}

async function tenant(run: Run): Promise<void> {
  printJson(run, await run.client.operator.getOperatedTenant(wanted(run, "the tenant")));
}

async function plan(run: Run): Promise<void> {
  const [name = "", to = ""] = run.words;
  // The service says which there are; "usual" is the service's own.
  const chosen = (to === "usual" ? null : to) as NonNullable<
    Parameters<typeof run.client.operator.changeOperatedTenant>[1]["plan"]
  > | null;
  printJson(run, await run.client.operator.changeOperatedTenant(name, { plan: chosen }));
}

/** `nodes=5 objects=100`, all of them. */
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
  printJson(run, await run.client.operator.changeOperatedTenant(wanted(run, "the tenant"), { suspended: null }));
}

async function tenantUsage(run: Run): Promise<void> {
  printUsage(run, await run.client.operator.getTenantUsage(wanted(run, "the tenant"), days(run)));
}

async function sandboxes(run: Run): Promise<void> {
  printJson(run, (await run.client.operator.listTenantSandboxes(wanted(run, "the tenant"))).sandboxes);
}

async function health(run: Run): Promise<void> {
  printJson(run, await run.client.operator.getSandboxHealth(wanted(run, "the sandbox by its id")));
}

async function reconcile(run: Run): Promise<void> {
  printJson(run, await run.client.operator.reconcileTenant(wanted(run, "the tenant")));
}

async function operatorsAudit(run: Run): Promise<void> {
  const { entries } = await run.client.operator.listOperatorsAudit();
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
  await run.client.operator.deletePerson(wanted(run, "the person by the id"));
}

async function metrics(run: Run): Promise<void> {
  run.print(await run.client.operator.metrics());
}
