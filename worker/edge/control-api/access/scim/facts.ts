// Descriptions of the service by which SCIM clients configure themselves.
import { identityLimits } from "../../../../../shared/base/request-limits.ts";
import { scimBase, scimSchemas } from "../../../../../shared/contract/hosted/scim.ts";
import { scimList } from "./answers.ts";

const no = { supported: false };
const firstPage = { limit: identityLimits.scimPage, offset: 0 };

export function serviceProviderConfig(console: string): object {
  return {
    schemas: [scimSchemas.config],
    documentationUri: `${console}/docs/tenants`,
    patch: { supported: true },
    bulk: { ...no, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults: identityLimits.scimPage },
    changePassword: no,
    sort: no,
    etag: no,
    authenticationSchemes: [
      {
        type: "oauthbearertoken",
        name: "API key",
        description: "An API key with the scope members:write as a bearer token.",
        primary: true,
      },
    ],
    meta: { resourceType: "ServiceProviderConfig", location: `${console}${scimBase}/ServiceProviderConfig` },
  };
}

export function resourceTypes(console: string): object {
  const types = [
    { name: "User", endpoint: "/Users", schema: scimSchemas.user },
    { name: "Group", endpoint: "/Groups", schema: scimSchemas.group },
  ];
  const resources = types.map((type) => ({
    schemas: [scimSchemas.resourceType],
    id: type.name,
    ...type,
    meta: { resourceType: "ResourceType", location: `${console}${scimBase}/ResourceTypes/${type.name}` },
  }));
  return scimList(resources, resources.length, firstPage);
}

/** Names the attributes that the service stores. It ignores all others. */
export function schemas(console: string): object {
  const attribute = (name: string, type = "string", more: object = {}) => ({
    ...{ name, type, multiValued: false, required: false, caseExact: false },
    ...{ mutability: "readWrite", returned: "default", uniqueness: "none" },
    ...more,
  });
  const list = { multiValued: true, type: "complex" };
  const value = attribute("value");
  const described = [
    {
      id: scimSchemas.user,
      name: "User",
      attributes: [
        attribute("userName", "string", { required: true, uniqueness: "server" }),
        attribute("displayName"),
        attribute("name", "complex", {
          subAttributes: ["formatted", "givenName", "familyName"].map((of) => attribute(of)),
        }),
        attribute("active", "boolean"),
        attribute("emails", "complex", { ...list, subAttributes: [value, attribute("primary", "boolean")] }),
        attribute("groups", "complex", { ...list, mutability: "readOnly", subAttributes: [value] }),
      ],
    },
    {
      id: scimSchemas.group,
      name: "Group",
      attributes: [
        attribute("displayName", "string", { required: true, uniqueness: "server" }),
        attribute("members", "complex", { ...list, subAttributes: [value] }),
      ],
    },
  ].map((schema) => ({
    schemas: [scimSchemas.schema],
    ...schema,
    meta: { resourceType: "Schema", location: `${console}${scimBase}/Schemas/${schema.id}` },
  }));
  return scimList(described, described.length, firstPage);
}
