// Users of SCIM: the people whom an organisation's identity provider manages. An active user is a member.
import type * as z from "zod";
import { limits } from "../../../../../shared/base/limits.ts";
import {
  type ScimOperation,
  type scimQuery,
  type ScimUser,
  type ScimUserInput,
  scimSchemas,
} from "../../../../../shared/contract/hosted/scim.ts";
import { type Role, roles } from "../../../../../shared/contract/scope.ts";
import type { RoleRule } from "../../../db/groups.ts";
import type { ManagedPerson } from "../../../db/identity.ts";
import { ControlError } from "../../control-error.ts";
import { requireFreeSpace } from "../../sandboxes.ts";
import type { ControlApiServer } from "../../server.ts";
import { visible } from "../github.ts";
import { newManagedPerson } from "../sso/managed-person.ts";
import { locationOf, pageOf, parseFilter, scimList } from "./answers.ts";
import { patchedUser, type UserFacts, userFactsOf } from "./patch-user.ts";

const idShape = /^usr[a-z2-7]{20}$/;
/** The attributes of filters. */
const filters = { username: "userKey", externalid: "externalId", "emails.value": "email", id: "personId" } as const;

export async function listUsers(
  controlApi: ControlApiServer,
  tenantId: string,
  query: z.output<typeof scimQuery>,
): Promise<object> {
  const page = pageOf(query);
  const filter = parseFilter(query.filter, filters);
  const value = filter && ["userKey", "email"].includes(filter.by) ? filter.value.toLowerCase() : filter?.value;
  const named = filter && value !== undefined ? { by: filter.by, value } : {};
  const { rows, total } = await controlApi.identity.listManaged(tenantId, { ...page, ...named });
  return scimList(await describeAll(controlApi, tenantId, rows), total, page);
}

export async function getUser(controlApi: ControlApiServer, tenantId: string, id: string): Promise<ScimUser> {
  return describeOne(controlApi, tenantId, await userNamed(controlApi, tenantId, id));
}

export async function createUser(
  controlApi: ControlApiServer,
  tenantId: string,
  input: ScimUserInput,
): Promise<ScimUser> {
  await requireFreeSpace(controlApi);
  const facts = userFactsOf(input);
  const newPerson = newManagedPerson(controlApi, tenantId, { ...facts, name: facts.displayName, subject: null });
  const { role } = await ruleOf(controlApi, tenantId);
  const isAdded = await controlApi.identity.addManaged({ ...newPerson, role: facts.isActive ? role : undefined });
  if (!isAdded) throw await refusalOf(controlApi, tenantId, facts, undefined);
  return getUser(controlApi, tenantId, newPerson.person.id);
}

export async function replaceUser(
  controlApi: ControlApiServer,
  tenantId: string,
  id: string,
  input: ScimUserInput,
): Promise<ScimUser> {
  const user = await userNamed(controlApi, tenantId, id);
  return change(controlApi, user, userFactsOf(input));
}

export async function patchUser(
  controlApi: ControlApiServer,
  tenantId: string,
  id: string,
  operations: readonly ScimOperation[],
): Promise<ScimUser> {
  const user = await userNamed(controlApi, tenantId, id);
  const { userName, externalId, email, name, givenName, familyName, isActive } = user;
  const before = { userName, externalId, email, displayName: name, givenName, familyName, isActive };
  return change(controlApi, user, patchedUser(before, operations));
}

/** Deletes the person with sessions and keys. */
export async function deleteUser(controlApi: ControlApiServer, tenantId: string, id: string): Promise<void> {
  const { personId } = await userNamed(controlApi, tenantId, id);
  await controlApi.people.remove(personId, [tenantId], personId, true);
  controlApi.callerCache.clear();
}

async function change(controlApi: ControlApiServer, user: ManagedPerson, to: UserFacts): Promise<ScimUser> {
  const { tenantId, personId, isActive } = user;
  const { userName, externalId, email, givenName, familyName, displayName } = to;
  const changedAtMs = controlApi.nowMs();
  const managed = { userName, userKey: userName.toLowerCase(), externalId, email, givenName, familyName, changedAtMs };
  const name = visible(displayName) || visible(`${givenName} ${familyName}`) || visible(userName) || user.name;
  const isChanged = await controlApi.identity.changeManaged(user, {
    managed,
    name,
    ...(to.isActive === isActive ? {} : { role: to.isActive ? await roleOf(controlApi, user) : null }),
  });
  controlApi.callerCache.clear();
  if (!isChanged) throw await refusalOf(controlApi, tenantId, to, user);
  return getUser(controlApi, tenantId, personId);
}

/** Returns the reason why a user was not stored. */
async function refusalOf(
  controlApi: ControlApiServer,
  tenantId: string,
  { userName }: UserFacts,
  user: ManagedPerson | undefined,
): Promise<ControlError> {
  const holder = await controlApi.identity.findManaged(tenantId, "userKey", userName.toLowerCase());
  if (holder && holder.personId !== user?.personId)
    return new ControlError(409, "user_exists", `there is a user with the userName ${userName}`, "userName");
  return new ControlError(409, "too_many_members", `the organisation has ${limits.members} members, which is the most`);
}

/** Returns the rule by which members get roles: that of the provider, or `member` for everybody. */
export async function ruleOf({ identity }: ControlApiServer, tenantId: string): Promise<RoleRule> {
  return (await identity.sso(tenantId)) ?? { groupRoles: {}, role: "member" };
}

/** Returns the role of a user who becomes active: the greatest of their groups. */
async function roleOf(controlApi: ControlApiServer, { tenantId, personId }: ManagedPerson): Promise<Role> {
  const { groupRoles, role } = await ruleOf(controlApi, tenantId);
  const groups = await controlApi.identity.groupsOf(tenantId, [personId]);
  const ranks = groups.flatMap(({ nameKey }) => {
    const groupRole = groupRoles[nameKey];
    return groupRole === undefined ? [] : [roles.indexOf(groupRole)];
  });
  return ranks.length === 0 ? role : (roles[Math.max(...ranks)] ?? role);
}

async function userNamed({ identity }: ControlApiServer, tenantId: string, id: string): Promise<ManagedPerson> {
  const user = idShape.test(id) ? await identity.findManaged(tenantId, "personId", id) : undefined;
  if (!user) throw new ControlError(404, "not_found", "there is no such user");
  return user;
}

async function describeOne(controlApi: ControlApiServer, tenantId: string, user: ManagedPerson): Promise<ScimUser> {
  const [described] = await describeAll(controlApi, tenantId, [user]);
  if (!described) throw new Error("a user was not described");
  return described;
}

async function describeAll(
  { identity, console }: ControlApiServer,
  tenantId: string,
  users: readonly ManagedPerson[],
): Promise<ScimUser[]> {
  const groups = await identity.groupsOf(
    tenantId,
    users.map(({ personId }) => personId),
  );
  return users.map(
    ({ personId: id, userName, externalId, name, givenName, familyName, isActive, email, ...times }) => ({
      schemas: [scimSchemas.user],
      id,
      ...(externalId === "" ? {} : { externalId }),
      userName,
      displayName: name,
      name: { formatted: name, givenName, familyName },
      active: isActive,
      emails: email === "" ? [] : [{ value: email, type: "work", primary: true }],
      groups: groups
        .filter(({ personId }) => personId === id)
        .map((group) => ({ value: group.id, display: group.name })),
      meta: {
        resourceType: "User",
        created: new Date(times.createdAtMs).toISOString(),
        lastModified: new Date(times.changedAtMs).toISOString(),
        location: locationOf(console, "Users", id),
      },
    }),
  );
}
