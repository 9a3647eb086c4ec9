// SCIM 2.0 (RFC 7643 and 7644) as far as identity providers use it: users, groups, and what the service supports.
import * as z from "zod";
import { identityLimits } from "../../base/request-limits.ts";

export const scimType = "application/scim+json";
export const scimBase = "/v1/scim/v2";

/** Reports whether a path belongs to SCIM, which has a media type and errors of its own. */
export function isScimPath(path: string): boolean {
  return path.startsWith("/v1/scim/");
}

export const scimSchemas = {
  user: "urn:ietf:params:scim:schemas:core:2.0:User",
  group: "urn:ietf:params:scim:schemas:core:2.0:Group",
  list: "urn:ietf:params:scim:api:messages:2.0:ListResponse",
  error: "urn:ietf:params:scim:api:messages:2.0:Error",
  patch: "urn:ietf:params:scim:api:messages:2.0:PatchOp",
  config: "urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig",
  resourceType: "urn:ietf:params:scim:schemas:core:2.0:ResourceType",
  schema: "urn:ietf:params:scim:schemas:core:2.0:Schema",
} as const;

const text = z.string().max(identityLimits.nameCharacters);

/** Some providers send booleans as texts. */
export const scimBoolean = z.union([z.boolean(), z.stringbool({ truthy: ["true"], falsy: ["false"] })], {
  error: "must be true or false",
});

export const scimName = z.object({
  formatted: text.nullish(),
  givenName: text.nullish(),
  familyName: text.nullish(),
});

export const scimEmails = z
  .array(
    z.object({
      value: z.string().max(identityLimits.emailCharacters).nullish(),
      type: text.nullish(),
      primary: scimBoolean.nullish(),
    }),
  )
  .max(identityLimits.scimValues);

/** Body that creates or replaces a user. Other attributes are ignored. */
export const scimUserInput = z.object({
  userName: text.min(1),
  externalId: text.nullish(),
  displayName: text.nullish(),
  active: scimBoolean.nullish(),
  name: scimName.nullish(),
  emails: scimEmails.nullish(),
});

export type ScimUserInput = z.output<typeof scimUserInput>;

export const scimMembers = z.array(z.object({ value: text.min(1) })).max(identityLimits.scimValues);

/** Body that creates or replaces a group. */
export const scimGroupInput = z.object({
  displayName: text.min(1),
  externalId: text.nullish(),
  members: scimMembers.nullish(),
});

export type ScimGroupInput = z.output<typeof scimGroupInput>;

/** Body of a PATCH. */
export const scimPatch = z.object({
  Operations: z
    .array(
      z.object({
        // Some providers begin the name with a capital letter.
        op: z
          .string()
          .max(10)
          .toLowerCase()
          .pipe(z.enum(["add", "replace", "remove"])),
        path: z.string().max(identityLimits.nameCharacters).nullish(),
        value: z.unknown().optional(),
      }),
    )
    .min(1)
    .max(identityLimits.scimOperations),
});

export type ScimOperation = z.output<typeof scimPatch>["Operations"][number];

const integer = z.coerce.number().int();

/** Query of a list. Values out of range are corrected, as the RFC demands. */
export const scimQuery = z.object({
  filter: z.string().max(identityLimits.urlCharacters).optional().describe('One comparison: `userName eq "ada"`.'),
  startIndex: integer.default(1).describe("The position of the first entry, from 1."),
  count: integer.default(identityLimits.scimPage).describe("Entries of a page, at most."),
  excludedAttributes: z.string().max(identityLimits.urlCharacters).default("").describe("`members` leaves them out."),
});

const meta = z.object({
  resourceType: z.string(),
  created: z.iso.datetime(),
  lastModified: z.iso.datetime(),
  location: z.string(),
});

const reference = z.object({ value: z.string(), display: z.string() });

export const scimUser = z.object({
  schemas: z.array(z.string()),
  id: z.string(),
  externalId: z.string().optional(),
  userName: z.string(),
  displayName: z.string(),
  name: z.object({ formatted: z.string(), givenName: z.string(), familyName: z.string() }),
  active: z.boolean(),
  emails: z.array(z.object({ value: z.string(), type: z.string(), primary: z.boolean() })),
  groups: z.array(reference),
  meta,
});

export type ScimUser = z.infer<typeof scimUser>;

export const scimGroup = z.object({
  schemas: z.array(z.string()),
  id: z.string(),
  externalId: z.string().optional(),
  displayName: z.string(),
  members: z.array(reference).optional(),
  meta,
});

export type ScimGroup = z.infer<typeof scimGroup>;

const list = { schemas: z.array(z.string()), totalResults: z.int(), startIndex: z.int(), itemsPerPage: z.int() };

export const scimUserList = z.object({ ...list, Resources: z.array(scimUser) });
export const scimGroupList = z.object({ ...list, Resources: z.array(scimGroup) });
export const scimFacts = z.looseObject({ schemas: z.array(z.string()) });

/** Error of RFC 7644, with the service's own code. */
export const scimError = z.object({
  schemas: z.array(z.string()),
  /** The HTTP status as a text. */
  status: z.string(),
  scimType: z.string().optional(),
  detail: z.string(),
  error: z.looseObject({ code: z.string(), message: z.string() }),
});
