// Groups of SCIM. The roles of members follow from their groups: see `RoleRule`.
import type * as z from "zod";
import { identityLimits } from "../../../../../shared/base/request-limits.ts";
import {
  type ScimGroup,
  type ScimGroupInput,
  scimGroupInput,
  scimMembers,
  type ScimOperation,
  type scimQuery,
  scimSchemas,
} from "../../../../../shared/contract/hosted/scim.ts";
import type { GroupChange } from "../../../db/groups.ts";
import type { GroupRow } from "../../../db/identity-tables.ts";
import { randomText } from "../../../mac.ts";
import { invalidField } from "../../body.ts";
import { ControlError } from "../../control-error.ts";
import { requireFreeSpace } from "../../sandboxes.ts";
import type { ControlApiServer } from "../../server.ts";
import { locationOf, pageOf, parseFilter, scimList } from "./answers.ts";
import { ruleOf } from "./users.ts";

const idShape = /^grp[a-z2-7]{20}$/;
const filters = { displayname: "nameKey", externalid: "externalId" } as const;

export async function listGroups(
  controlApi: ControlApiServer,
  tenantId: string,
  query: z.output<typeof scimQuery>,
): Promise<object> {
  const page = pageOf(query);
  const filter = parseFilter(query.filter, filters);
  const value = filter?.by === "nameKey" ? filter.value.toLowerCase() : filter?.value;
  const named = filter && value !== undefined ? { by: filter.by, value } : {};
  const { rows, total } = await controlApi.identity.listGroups(tenantId, { ...page, ...named });
  const hasMembers = !query.excludedAttributes.split(",").includes("members");
  return scimList(await describeAll(controlApi, tenantId, rows, hasMembers), total, page);
}

export async function getGroup(
  controlApi: ControlApiServer,
  tenantId: string,
  id: string,
  excluded = "",
): Promise<ScimGroup> {
  const group = await groupNamed(controlApi, tenantId, id);
  const [described] = await describeAll(controlApi, tenantId, [group], !excluded.split(",").includes("members"));
  if (!described) throw new Error("a group was not described");
  return described;
}

export async function createGroup(
  controlApi: ControlApiServer,
  tenantId: string,
  { displayName, externalId, members }: ScimGroupInput,
): Promise<ScimGroup> {
  await requireFreeSpace(controlApi);
  const people = await knownMembers(controlApi, tenantId, members ?? []);
  const atMs = controlApi.nowMs();
  const id = `grp${randomText(20)}`;
  const named = { name: displayName, nameKey: displayName.toLowerCase(), externalId: externalId ?? "" };
  const row = { id, tenantId, ...named, createdAtMs: atMs, changedAtMs: atMs };
  const isAdded = await controlApi.identity.addGroup(row, people, await ruleOf(controlApi, tenantId));
  controlApi.callerCache.clear();
  if (!isAdded) throw await refusalOf(controlApi, tenantId, displayName);
  return getGroup(controlApi, tenantId, id);
}

export async function replaceGroup(
  controlApi: ControlApiServer,
  tenantId: string,
  id: string,
  { displayName, externalId, members }: ScimGroupInput,
): Promise<ScimGroup> {
  const group = await groupNamed(controlApi, tenantId, id);
  const people = await knownMembers(controlApi, tenantId, members ?? []);
  const set = { ...nameOf(displayName), externalId: externalId ?? "" };
  return change(controlApi, group, { set, members: people });
}

/** Applies the operations one after the other to the name, the external id and the list of members. */
export async function patchGroup(
  controlApi: ControlApiServer,
  tenantId: string,
  id: string,
  operations: readonly ScimOperation[],
): Promise<ScimGroup> {
  const group = await groupNamed(controlApi, tenantId, id);
  const before = await controlApi.identity.membersOfGroups(tenantId, [id]);
  let state: GroupState = { set: {}, members: new Set(before.map(({ personId }) => personId)) };
  for (const [at, operation] of operations.entries()) state = patched(state, operation, `Operations.${at}`);
  if (state.members.size > identityLimits.scimValues)
    throw invalidField("members", `must have at most ${identityLimits.scimValues} entries`);
  const list = [...state.members].map((value) => ({ value }));
  return change(controlApi, group, { set: state.set, members: await knownMembers(controlApi, tenantId, list) });
}

export async function deleteGroup(controlApi: ControlApiServer, tenantId: string, id: string): Promise<void> {
  const group = await groupNamed(controlApi, tenantId, id);
  await controlApi.identity.removeGroup(group, await ruleOf(controlApi, tenantId));
  controlApi.callerCache.clear();
}

interface GroupState {
  readonly set: Partial<GroupRow>;
  readonly members: ReadonlySet<string>;
}

function patched(state: GroupState, { op, path, value }: ScimOperation, field: string): GroupState {
  if (path) return patchedAttribute(state, op, { path, value }, field);
  if (op === "remove" || typeof value !== "object" || value === null || Array.isArray(value))
    throw invalidField(op === "remove" ? `${field}.path` : `${field}.value`, "must name attributes");
  return Object.entries(value).reduce(
    (before, [name, item]) => patchedAttribute(before, op, { path: name, value: item }, field),
    state,
  );
}

function patchedAttribute(
  state: GroupState,
  op: ScimOperation["op"],
  { path, value }: { readonly path: string; readonly value: unknown },
  field: string,
): GroupState {
  const prefix = `${scimSchemas.group}:`;
  const name = path.startsWith(prefix) ? path.slice(prefix.length) : path;
  const [, only] = /^members\[\s*value\s+eq\s+"([^"]{1,256})"\s*\]$/i.exec(name) ?? [];
  if (only !== undefined) {
    if (op !== "remove") throw invalidField(`${field}.path`, "can only remove one member");
    return { ...state, members: new Set([...state.members].filter((id) => id !== only)) };
  }
  switch (name.toLowerCase()) {
    case "members":
      return { ...state, members: patchedMembers(state.members, op, value, field) };
    case "displayname":
      return { ...state, set: { ...state.set, ...nameOf(parsed(scimGroupInput.shape.displayName, value, field)) } };
    case "externalid": {
      const externalId = op === "remove" ? "" : (parsed(scimGroupInput.shape.externalId, value, field) ?? "");
      return { ...state, set: { ...state.set, externalId } };
    }
    default:
      if (!/^[\w$:.-]{1,200}$/.test(name)) throw invalidField(`${field}.path`, "is not a path of an attribute");
      return state;
  }
}

function patchedMembers(before: ReadonlySet<string>, op: ScimOperation["op"], value: unknown, field: string) {
  // `remove` without a value removes all members.
  if (op === "remove" && (value === undefined || value === null)) return new Set<string>();
  const list = parsed(scimMembers, Array.isArray(value) ? value : [value], field).map((member) => member.value);
  if (op === "remove") return new Set([...before].filter((id) => !list.includes(id)));
  return new Set(op === "add" ? [...before, ...list] : list);
}

function parsed<S extends z.ZodType>(schema: S, value: unknown, field: string): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw invalidField(`${field}.value`, result.error.issues[0]?.message ?? "is not valid");
}

function nameOf(displayName: string): Pick<GroupRow, "name" | "nameKey"> {
  return { name: displayName, nameKey: displayName.toLowerCase() };
}

async function change(controlApi: ControlApiServer, group: GroupRow, { set, members }: GroupChange) {
  const { tenantId, id } = group;
  const to = { set: { ...set, changedAtMs: controlApi.nowMs() }, members };
  const isChanged = await controlApi.identity.changeGroup(group, to, await ruleOf(controlApi, tenantId));
  controlApi.callerCache.clear();
  if (!isChanged) throw await refusalOf(controlApi, tenantId, set.name ?? group.name);
  return getGroup(controlApi, tenantId, id);
}

/** Returns the ids of members. Throws 400 if one is no user of the organisation. */
async function knownMembers({ identity }: ControlApiServer, tenantId: string, list: readonly { value: string }[]) {
  const ids = [...new Set(list.map(({ value }) => value))];
  const existing = new Set(ids.length === 0 ? [] : await identity.knownPeople(tenantId, ids));
  const unknown = ids.find((id) => !existing.has(id));
  if (unknown !== undefined) throw invalidField("members", `${unknown} is not the id of a user`);
  return ids;
}

async function refusalOf({ identity }: ControlApiServer, tenantId: string, displayName: string): Promise<ControlError> {
  const page = { limit: 1, offset: 0, by: "nameKey", value: displayName.toLowerCase() } as const;
  const { total } = await identity.listGroups(tenantId, page);
  if (total > 0)
    return new ControlError(409, "user_exists", `there is a group with the displayName ${displayName}`, "displayName");
  return new ControlError(409, "limit_exceeded", `there are ${identityLimits.scimGroups} groups, which is the most`);
}

async function groupNamed({ identity }: ControlApiServer, tenantId: string, id: string): Promise<GroupRow> {
  const group = idShape.test(id) ? await identity.findGroup(tenantId, id) : undefined;
  if (!group) throw new ControlError(404, "not_found", "there is no such group");
  return group;
}

async function describeAll(
  { identity, console }: ControlApiServer,
  tenantId: string,
  groups: readonly GroupRow[],
  hasMembers: boolean,
): Promise<ScimGroup[]> {
  const ids = groups.map(({ id }) => id);
  const members = hasMembers && ids.length > 0 ? await identity.membersOfGroups(tenantId, ids) : [];
  return groups.map(({ id, name, externalId, createdAtMs, changedAtMs }) => ({
    schemas: [scimSchemas.group],
    id,
    ...(externalId === "" ? {} : { externalId }),
    displayName: name,
    ...(hasMembers
      ? {
          members: members
            .filter(({ groupId }) => groupId === id)
            .map((member) => ({ value: member.personId, display: member.name })),
        }
      : {}),
    meta: {
      resourceType: "Group",
      created: new Date(createdAtMs).toISOString(),
      lastModified: new Date(changedAtMs).toISOString(),
      location: locationOf(console, "Groups", id),
    },
  }));
}
