// Operations on templates: create a version, find, list and delete templates, and create sandboxes from them.
import type * as z from "zod";
import { limits } from "../../../../shared/base/limits.ts";
import {
  type Template,
  type TemplateList,
  type TemplateParts,
  type TemplateUser,
  type TemplateWithParts,
  type createTemplate,
  templateParts,
  templateSettings,
} from "../../../../shared/contract/template.ts";
import type { TemplateRow } from "../../db/plan-schema.ts";
import { fileKey, storedInitialState } from "../../files.ts";
import { hashOf } from "../../mac.ts";
import { newUserToken } from "../../tokens.ts";
import { type BuiltInTemplate, builtInTemplates } from "./built-in.ts";
import { invalidField } from "../body.ts";
import { ControlError } from "../control-error.ts";
import { limitReached, requireWithin, standingOf } from "../tenancy/plans.ts";
import {
  type CreatedSandbox,
  type NamedOptions,
  livingRow,
  makeSandboxOf,
  requireFreeSpace,
  settingsOf,
} from "../sandboxes.ts";
import type { ControlApiServer } from "../server.ts";
import { stateOfSnapshot } from "../snapshots.ts";
import { nodesOf, type State, stateOfSandbox, verifiedState } from "../states.ts";
import { newTemplateId, readTemplateRef, refOf } from "./name.ts";
import { stateOfParts } from "./making.ts";

type NewTemplate = z.output<typeof createTemplate>;

/** Creates the next version of a template. `given` is the body without defaults. */
export async function makeTemplate(
  controlApi: ControlApiServer,
  tenantId: string,
  newTemplate: NewTemplate,
  body: unknown,
): Promise<Template> {
  const { name, description } = newTemplate;
  if (builtIn(name)) throw invalidField("name", "is the name of a template that is built in");
  await requireFreeSpace(controlApi);
  await requireFewer(controlApi, tenantId);
  const { state, content } = await beginningOf(controlApi, tenantId, newTemplate, body);
  const createdAtMs = controlApi.nowMs();
  const row = { tenantId, name, id: newTemplateId(), description, content, createdAtMs };
  // Insert the row first: a file without a row is removed by the sweep.
  const version = await controlApi.templates.add(row);
  try {
    await controlApi.files.put(fileKey(row), state.bytes);
    const facts = { nodes: nodesOf(state), objects: state.file.header.objects, bytes: state.bytes.length };
    if (!(await controlApi.templates.markReady({ ...row, version }, facts)))
      throw new Error("its making took so long that it was taken for cut off");
    return describe({ ...row, ...facts, version, state: "ready" });
  } catch (error) {
    await removeVersion(controlApi, row);
    throw error;
  }
}

interface Beginning {
  readonly state: State;
  readonly content: TemplateParts;
}

/** Returns the content of a new version. If it comes from a sandbox or snapshot, only the users come from the body. */
async function beginningOf(
  controlApi: ControlApiServer,
  tenantId: string,
  { name: _, description: __, sandbox, snapshot, ...content }: NewTemplate,
  body: unknown,
): Promise<Beginning> {
  if (sandbox === undefined && snapshot === undefined) {
    const nodes = typeof content.nodes === "number" ? content.nodes : content.nodes.length;
    requireWithin((await standingOf(controlApi, tenantId)).limits, { nodes });
    return { state: await stateOfParts(controlApi, content), content };
  }
  const { users } = content;
  checkBesideState(body, users);
  const state =
    sandbox === undefined
      ? await stateOfSnapshot(controlApi, tenantId, snapshot ?? "")
      : await stateOfLiving(controlApi, tenantId, sandbox);
  const settings: Readonly<Record<string, unknown>> = settingsOf(state);
  const sandboxSettings = Object.fromEntries(Object.keys(templateSettings.shape).map((key) => [key, settings[key]]));
  return { state, content: templateParts.parse({ ...sandboxSettings, users, nodes: nodesOf(state) }) };
}

function checkBesideState(body: unknown, users: readonly TemplateUser[]): void {
  const beside = ["name", "description", "users", "sandbox", "snapshot"];
  const [field] = Object.keys(body ?? {}).filter((fieldName) => !beside.includes(fieldName));
  if (field !== undefined) throw invalidField(field, "must be absent with a sandbox or a snapshot, which defines it");
  const bound = users.findIndex(({ role }) => role !== undefined);
  if (bound >= 0)
    throw invalidField(
      `users.${bound}.role`,
      "cannot be given beside a sandbox or a snapshot, which has its own bindings",
    );
}

export async function listTemplates(
  controlApi: ControlApiServer,
  tenantId: string,
  name?: string,
): Promise<TemplateList> {
  const tenantRows = await controlApi.templates.list(tenantId, name);
  const builtInRows = builtInTemplates
    .filter((template) => name === undefined || template.name === name)
    .map(describeBuiltIn);
  return { templates: [...tenantRows.map(describe), ...builtInRows] };
}

export async function getTemplate(
  controlApi: ControlApiServer,
  tenantId: string,
  text: string,
): Promise<TemplateWithParts> {
  const template = await templateNamed(controlApi, tenantId, text);
  const description = "id" in template ? describe(template) : describeBuiltIn(template);
  return { ...description, parts: template.content };
}

/** Deletes one version, or all versions of a name. */
export async function deleteTemplate(controlApi: ControlApiServer, tenantId: string, text: string): Promise<void> {
  const ref = readTemplateRef(text);
  if (ref && builtIn(ref.name)) throw invalidField("template", "is built in");
  const rows = ref ? await controlApi.templates.list(tenantId, ref.name) : [];
  const meant = rows.filter(({ version }) => ref?.version === undefined || version === ref.version);
  if (meant.length === 0) throw noTemplate();
  // Delete the oldest first: the newest row reserves the version number.
  for (const row of meant.sort((a, b) => a.version - b.version)) await removeVersion(controlApi, row, refOf(row));
}

/** Creates a sandbox from a template, with a token for each of the template's users. */
export async function makeSandboxOfTemplate(
  controlApi: ControlApiServer,
  tenantId: string,
  options: NamedOptions,
  text: string,
): Promise<CreatedSandbox> {
  const template = await asFieldError(templateNamed(controlApi, tenantId, text));
  const { users, nodes: _, manifests: __, incidents: ___, ...settings } = template.content;
  const isTenantTemplate = "id" in template;
  const state = isTenantTemplate
    ? await keptState(controlApi, fileKey(template))
    : await builtInState(controlApi, template);
  const madeOf = isTenantTemplate ? template.id : storedInitialState;
  const created = await makeSandboxOf(controlApi, tenantId, options, { state, madeOf, settings });
  if (users.length === 0) return created;
  const { id, expiresAt } = created.sandbox;
  const tokens = [];
  for (const user of users) tokens.push(await tokenOf(controlApi, id, user, Date.parse(expiresAt)));
  return { ...created, sandbox: { ...created.sandbox, users: tokens } };
}

/** Reports an unknown template as an error of the body's field. */
async function asFieldError<T>(template: Promise<T>): Promise<T> {
  try {
    return await template;
  } catch (error) {
    if (!(error instanceof ControlError)) throw error;
    throw new ControlError(error.status, error.code, error.message, "template");
  }
}

async function tokenOf(
  controlApi: ControlApiServer,
  id: string,
  { user, groups: declaredGroups }: TemplateUser,
  expiresAtMs: number,
) {
  const token = await newUserToken(controlApi.secret, id, expiresAtMs);
  const groups = [...new Set([...declaredGroups, "system:authenticated"])];
  const stored = { hash: await hashOf(token), user, groups, expiresAtMs, readOnly: false, frameOrigins: [] };
  await controlApi.cluster(id).addToken(stored);
  return { user, groups, token };
}

async function templateNamed(
  controlApi: ControlApiServer,
  tenantId: string,
  text: string,
): Promise<TemplateRow | BuiltInTemplate> {
  const ref = readTemplateRef(text);
  if (!ref) throw noTemplate();
  const template = builtIn(ref.name);
  if (template && (ref.version === undefined || ref.version === template.version)) return template;
  const row = template ? undefined : await controlApi.templates.find(tenantId, ref.name, ref.version);
  if (!row) throw noTemplate();
  return row;
}

function builtIn(name: string): BuiltInTemplate | undefined {
  return builtInTemplates.find((template) => template.name === name);
}

/**
 * Builds the state of a built-in template on demand and stores it for all tenants. The daily sweep removes it as a file without a row, so
 * it never gets old.
 */
async function builtInState(controlApi: ControlApiServer, { name, version, content }: BuiltInTemplate): Promise<State> {
  const hash = (await hashOf(JSON.stringify(content))).slice(0, 16);
  const key = `_built-in/${name}-${version}-${hash}`;
  const bytes = await controlApi.files.get(key);
  if (bytes) return verifiedState(controlApi.secret, bytes);
  const state = await stateOfParts(controlApi, content);
  await controlApi.files.put(key, state.bytes);
  return state;
}

async function keptState(controlApi: ControlApiServer, key: string): Promise<State> {
  const bytes = await controlApi.files.get(key);
  if (!bytes) throw noTemplate();
  return verifiedState(controlApi.secret, bytes);
}

async function stateOfLiving(controlApi: ControlApiServer, tenantId: string, id: string): Promise<State> {
  try {
    await livingRow(controlApi, tenantId, id);
  } catch (error) {
    if (!(error instanceof ControlError)) throw error;
    throw new ControlError(error.status, error.code, error.message, "sandbox");
  }
  return stateOfSandbox(controlApi, id);
}

async function requireFewer(controlApi: ControlApiServer, tenantId: string): Promise<void> {
  const { templates } = (await standingOf(controlApi, tenantId)).limits;
  const limited = Math.min(templates ?? limits.templates, limits.templates);
  const { versions: used, rows } = await controlApi.templates.count(tenantId);
  if (used >= limited) throw limitReached({ name: "templates", limited, used });
  // A tenant that creates and deletes versions endlessly waits until the first numbers are released.
  const most = limited + limits.templateNumbers;
  if (rows >= most) throw limitReached({ name: "templates", limited: most, used: rows });
}

/** Marks the row first, which hides the version. A file without a row is removed by the sweep. */
async function removeVersion(
  controlApi: ControlApiServer,
  row: Pick<TemplateRow, "tenantId" | "id">,
  ref?: string,
): Promise<void> {
  await controlApi.templates.remove(row, ref);
  await controlApi.files.remove(fileKey(row));
}

function noTemplate(): ControlError {
  return new ControlError(404, "not_found", "there is no such template");
}

function describe({ name, version, description, content, nodes, objects, bytes, createdAtMs }: TemplateRow): Template {
  const createdAt = new Date(createdAtMs).toISOString();
  return {
    ...shownParts(content),
    name,
    version,
    ref: refOf({ name, version }),
    description,
    builtIn: false,
    nodes,
    objects,
    bytes,
    createdAt,
  };
}

function describeBuiltIn({ name, version, description, content }: BuiltInTemplate): Template {
  const nodes = typeof content.nodes === "number" ? content.nodes : content.nodes.length;
  const ref = refOf({ name, version });
  return { ...shownParts(content), name, version, ref, description, builtIn: true, nodes, objects: 0, bytes: 0 };
}

function shownParts({ users, incidents }: TemplateParts): Pick<Template, "users" | "incidents"> {
  return { users: users.map(({ user }) => user), incidents: incidents.length };
}
