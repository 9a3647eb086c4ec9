// Routes of SCIM 2.0, by which an identity provider manages the people and groups of an organisation.
import {
  scimFacts,
  scimGroup,
  scimGroupInput,
  scimGroupList,
  scimPatch,
  scimQuery,
  scimUser,
  scimUserInput,
  scimUserList,
} from "../../../../shared/contract/hosted/scim.ts";
import { scimCreated, scimJson } from "../access/scim/answers.ts";
import { resourceTypes, schemas, serviceProviderConfig } from "../access/scim/facts.ts";
import { createGroup, deleteGroup, getGroup, listGroups, patchGroup, replaceGroup } from "../access/scim/groups.ts";
import { createUser, deleteUser, getUser, listUsers, patchUser, replaceUser } from "../access/scim/users.ts";
import { nothing } from "../answers.ts";
import { route } from "../route.ts";

const reads = { kind: "scope", scope: "members:read" } as const;
const writes = { kind: "scope", scope: "members:write" } as const;
const users = "/v1/scim/v2/Users";
const groups = "/v1/scim/v2/Groups";

const factRoutes = [
  {
    path: "ServiceProviderConfig",
    id: "getScimConfig",
    summary: "Returns what SCIM supports here.",
    of: serviceProviderConfig,
  },
  { path: "ResourceTypes", id: "listScimResourceTypes", summary: "Lists the resources of SCIM.", of: resourceTypes },
  { path: "Schemas", id: "listScimSchemas", summary: "Lists the attributes that are stored.", of: schemas },
].map(({ path, id, summary, of }) =>
  route({
    method: "GET",
    path: `/v1/scim/v2/${path}`,
    id,
    summary,
    access: reads,
    answer: { status: 200, json: scimFacts },
    handle: async ({ controlApi }) => scimJson(of(controlApi.console)),
  }),
);

const userRoutes = [
  route({
    method: "GET",
    path: users,
    id: "listScimUsers",
    summary: "Lists the people whom the identity provider manages, a page at a time.",
    access: reads,
    query: scimQuery,
    answer: { status: 200, json: scimUserList },
    handle: async ({ controlApi, tenantId, query }) => scimJson(await listUsers(controlApi, tenantId, query)),
  }),
  route({
    method: "POST",
    path: users,
    id: "createScimUser",
    summary: "Creates a person, who is a member while `active`.",
    access: writes,
    body: scimUserInput,
    answer: { status: 201, json: scimUser },
    errors: ["user_exists", "too_many_members"],
    handle: async ({ controlApi, tenantId, body }) => scimCreated(await createUser(controlApi, tenantId, body)),
  }),
  route({
    method: "GET",
    path: `${users}/{user}`,
    id: "getScimUser",
    summary: "Returns a person whom the identity provider manages.",
    access: reads,
    answer: { status: 200, json: scimUser },
    handle: async ({ controlApi, tenantId, path: { user = "" } }) =>
      scimJson(await getUser(controlApi, tenantId, user)),
  }),
  route({
    method: "PUT",
    path: `${users}/{user}`,
    id: "replaceScimUser",
    summary: "Replaces the attributes of a person. `active: false` ends membership, sessions and keys.",
    access: writes,
    body: scimUserInput,
    answer: { status: 200, json: scimUser },
    errors: ["user_exists", "too_many_members"],
    handle: async ({ controlApi, tenantId, body, path: { user = "" } }) =>
      scimJson(await replaceUser(controlApi, tenantId, user, body)),
  }),
  route({
    method: "PATCH",
    path: `${users}/{user}`,
    id: "patchScimUser",
    summary: "Changes attributes of a person. `active: false` ends membership, sessions and keys.",
    access: writes,
    body: scimPatch,
    answer: { status: 200, json: scimUser },
    errors: ["user_exists", "too_many_members"],
    handle: async ({ controlApi, tenantId, body, path: { user = "" } }) =>
      scimJson(await patchUser(controlApi, tenantId, user, body.Operations)),
  }),
  route({
    method: "DELETE",
    path: `${users}/{user}`,
    id: "deleteScimUser",
    summary: "Deletes a person with sessions and keys.",
    access: writes,
    answer: { status: 204 },
    handle: async ({ controlApi, tenantId, path: { user = "" } }) => {
      await deleteUser(controlApi, tenantId, user);
      return nothing();
    },
  }),
];

const groupRoutes = [
  route({
    method: "GET",
    path: groups,
    id: "listScimGroups",
    summary: "Lists the groups of the identity provider, a page at a time.",
    access: reads,
    query: scimQuery,
    answer: { status: 200, json: scimGroupList },
    handle: async ({ controlApi, tenantId, query }) => scimJson(await listGroups(controlApi, tenantId, query)),
  }),
  route({
    method: "POST",
    path: groups,
    id: "createScimGroup",
    summary: "Creates a group. Members get the role that the organisation gives to its name.",
    access: writes,
    body: scimGroupInput,
    answer: { status: 201, json: scimGroup },
    errors: ["user_exists", "limit_exceeded"],
    handle: async ({ controlApi, tenantId, body }) => scimCreated(await createGroup(controlApi, tenantId, body)),
  }),
  route({
    method: "GET",
    path: `${groups}/{group}`,
    id: "getScimGroup",
    summary: "Returns a group with its members.",
    access: reads,
    query: scimQuery.pick({ excludedAttributes: true }),
    answer: { status: 200, json: scimGroup },
    handle: async ({ controlApi, tenantId, query, path: { group = "" } }) =>
      scimJson(await getGroup(controlApi, tenantId, group, query.excludedAttributes)),
  }),
  route({
    method: "PUT",
    path: `${groups}/{group}`,
    id: "replaceScimGroup",
    summary: "Replaces the name and the members of a group.",
    access: writes,
    body: scimGroupInput,
    answer: { status: 200, json: scimGroup },
    errors: ["user_exists"],
    handle: async ({ controlApi, tenantId, body, path: { group = "" } }) =>
      scimJson(await replaceGroup(controlApi, tenantId, group, body)),
  }),
  route({
    method: "PATCH",
    path: `${groups}/{group}`,
    id: "patchScimGroup",
    summary: "Adds and removes members of a group, or renames it.",
    access: writes,
    body: scimPatch,
    answer: { status: 200, json: scimGroup },
    errors: ["user_exists"],
    handle: async ({ controlApi, tenantId, body, path: { group = "" } }) =>
      scimJson(await patchGroup(controlApi, tenantId, group, body.Operations)),
  }),
  route({
    method: "DELETE",
    path: `${groups}/{group}`,
    id: "deleteScimGroup",
    summary: "Deletes a group.",
    access: writes,
    answer: { status: 204 },
    handle: async ({ controlApi, tenantId, path: { group = "" } }) => {
      await deleteGroup(controlApi, tenantId, group);
      return nothing();
    },
  }),
];

export const scimRoutes = [...factRoutes, ...userRoutes, ...groupRoutes];
