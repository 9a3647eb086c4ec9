// A new person whom an organisation's provider manages.
import type { NewManagedPerson } from "../../../db/identity.ts";
import { randomText } from "../../../mac.ts";
import type { ControlApiServer } from "../../server.ts";
import { visible } from "../github.ts";

/** The attributes of a new person, of a token or of SCIM. */
export interface PersonFacts {
  readonly subject: string | null;
  readonly userName: string;
  readonly externalId: string;
  readonly email: string;
  readonly name: string;
  readonly givenName: string;
  readonly familyName: string;
}

export function newManagedPerson(
  { nowMs }: Pick<ControlApiServer, "nowMs">,
  tenantId: string,
  { name, userName, email, ...facts }: PersonFacts,
): Omit<NewManagedPerson, "role"> {
  const atMs = nowMs();
  const id = `usr${randomText(20)}`;
  const displayName =
    visible(name) || visible(`${facts.givenName} ${facts.familyName}`) || visible(userName) || "somebody";
  return {
    person: { id, name: displayName, githubId: null, githubLogin: null, createdAtMs: atMs },
    managed: {
      ...{ ...facts, userName, tenantId, personId: id },
      userKey: userName.toLowerCase(),
      email: email.toLowerCase(),
      createdAtMs: atMs,
      changedAtMs: atMs,
    },
  };
}
