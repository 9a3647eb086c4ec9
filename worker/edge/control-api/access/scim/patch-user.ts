// The attributes of a user, and their changes by the operations of a PATCH.
import type * as z from "zod";
import {
  scimBoolean,
  scimEmails,
  scimName,
  type ScimOperation,
  scimSchemas,
  scimUserInput,
  type ScimUserInput,
} from "../../../../../shared/contract/hosted/scim.ts";
import { invalidField } from "../../body.ts";

export interface UserFacts {
  readonly userName: string;
  readonly externalId: string;
  readonly displayName: string;
  readonly givenName: string;
  readonly familyName: string;
  readonly email: string;
  readonly isActive: boolean;
}

export function userFactsOf({ userName, externalId, displayName, active, name, emails }: ScimUserInput): UserFacts {
  return {
    userName,
    externalId: externalId ?? "",
    displayName: displayName ?? name?.formatted ?? "",
    givenName: name?.givenName ?? "",
    familyName: name?.familyName ?? "",
    email: addressOf(emails ?? []),
    isActive: active ?? true,
  };
}

/** Returns the primary address, or the first. */
function addressOf(emails: z.output<typeof scimEmails>): string {
  const email = emails.find(({ primary }) => primary === true) ?? emails[0];
  return (email?.value ?? "").toLowerCase();
}

type Setter = (value: unknown, field: string) => Partial<UserFacts>;

const { shape } = scimUserInput;
const textOf = (schema: z.ZodType, attribute: keyof UserFacts): Setter => {
  return (value, field) => ({ [attribute]: parse(schema, value ?? "", field) });
};

/** The attributes by their names in lower case. Others are ignored, because the service stores none of them. */
const setters: Readonly<Record<string, Setter>> = {
  username: textOf(shape.userName, "userName"),
  externalid: textOf(shape.externalId, "externalId"),
  displayname: textOf(shape.displayName, "displayName"),
  "name.formatted": textOf(shape.displayName, "displayName"),
  "name.givenname": textOf(shape.displayName, "givenName"),
  "name.familyname": textOf(shape.displayName, "familyName"),
  active: (value, field) => ({ isActive: parse(scimBoolean, value, field) }),
  name: (value, field) => {
    const { formatted, givenName, familyName } = parse(scimName, value ?? {}, field);
    return {
      ...(formatted ? { displayName: formatted } : {}),
      ...(givenName === undefined ? {} : { givenName: givenName ?? "" }),
      ...(familyName === undefined ? {} : { familyName: familyName ?? "" }),
    };
  },
  emails: (value, field) => ({ email: addressOf(parse(scimEmails, value ?? [], field)) }),
  "emails.value": (value, field) => ({ email: addressOf(parse(scimEmails, [{ value: value ?? "" }], field)) }),
};

/** Applies operations in their order. Throws 400 if one is not valid; then none has an effect. */
export function patchedUser(before: UserFacts, operations: readonly ScimOperation[]): UserFacts {
  return operations.reduce<UserFacts>((facts, { op, path, value }, at) => {
    const field = `Operations.${at}`;
    const removed = op === "remove";
    if (path) return { ...facts, ...set(attributeOf(path, field), removed ? undefined : value, `${field}.value`) };
    if (removed) throw invalidField(`${field}.path`, "is required to remove an attribute");
    if (typeof value !== "object" || value === null || Array.isArray(value))
      throw invalidField(`${field}.value`, "must be an object if there is no path");
    const changes = Object.entries(value).map(([name, item]) => set(attributeOf(name, field), item, `${field}.value`));
    return Object.assign({ ...facts }, ...changes) as UserFacts;
  }, before);
}

function set(attribute: string, value: unknown, field: string): Partial<UserFacts> {
  return setters[attribute]?.(value, field) ?? {};
}

/** Returns the attribute of a path in lower case, without schema and filter: `emails[type eq "work"].value` is `emails.value`. */
function attributeOf(path: string, field: string): string {
  const prefix = `${scimSchemas.user}:`.toLowerCase();
  const lower = path.toLowerCase();
  const name = lower.startsWith(prefix) ? lower.slice(prefix.length) : lower;
  if (/^[\w$:.-]{1,200}$/.test(name)) return name;
  const [, attribute, sub = ""] = /^([\w$:.-]{1,120})\[[^\]]{1,120}\](\.\w{1,60})?$/.exec(name) ?? [];
  if (attribute === undefined) throw invalidField(`${field}.path`, "is not a path of an attribute");
  return attribute + sub;
}

function parse<S extends z.ZodType>(schema: S, value: unknown, field: string): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw invalidField(field, result.error.issues[0]?.message ?? "is not valid");
}
