// The members of a course: the Names and Role Provisioning Services.
import * as z from "zod";
import { ltiLimits } from "../../shared/base/lti-limits.ts";
import type { Asking, Client } from "./access-token.ts";
import { jsonOf } from "./ask.ts";
import { scopes } from "./names.ts";
import type { ToolKey } from "./tool-key.ts";

export interface Member {
  /** The id as in `sub` of launches. */
  readonly userId: string;
  readonly name: string;
  readonly roles: readonly string[];
}

const type = "application/vnd.ims.lti-nrps.v2.membershipcontainer+json";

const text = z.string().max(ltiLimits.idCharacters).nullish().catch(undefined);
const container = z.object({
  members: z.array(
    z.object({
      user_id: z.coerce.string().max(ltiLimits.idCharacters),
      status: text,
      name: text,
      given_name: text,
      family_name: text,
      email: text,
      roles: z.array(z.string().max(ltiLimits.roleCharacters)).max(ltiLimits.roles).catch([]),
    }),
  ),
});

/** Lists active members up to a limit. `url` comes from a launch. */
export async function membersOf(
  client: Client,
  key: ToolKey,
  url: string,
  asking: Asking,
): Promise<{ readonly members: readonly Member[] } | { readonly error: string }> {
  const granted = await asking.tokens.get(client, key, [scopes.members], asking);
  if ("error" in granted) return granted;
  const members: Member[] = [];
  let next: string | undefined = url;
  for (let page = 0; page < ltiLimits.memberPages && next !== undefined; page++) {
    const headers = { authorization: `Bearer ${granted.token}`, accept: type };
    const answer = await asking.ask({ url: next, headers });
    const read = jsonOf(answer);
    if ("error" in read) {
      if (read.status === 401) asking.tokens.forget(client, key, [scopes.members]);
      return { error: read.error };
    }
    const parsed = container.safeParse(read.json);
    if (!parsed.success) return { error: "it did not answer a list of members" };
    for (const { user_id: userId, status, roles, ...nameFields } of parsed.data.members) {
      if (members.length >= ltiLimits.members) return { members };
      if ((status ?? "Active") === "Active") members.push({ userId, name: nameOf(nameFields), roles });
    }
    next = "error" in answer ? undefined : nextPage(answer.headers.get("link") ?? "", url);
  }
  return { members };
}

interface NameFields {
  readonly name?: string | null | undefined;
  readonly given_name?: string | null | undefined;
  readonly family_name?: string | null | undefined;
  readonly email?: string | null | undefined;
}

/** Returns a person's name, or empty if the platform does not send one. */
export function nameOf({ name, given_name: givenName, family_name: family, email }: NameFields): string {
  return withoutControlCharacters(name || [givenName, family].filter(Boolean).join(" ") || email || "");
}

/** Returns the next page only if it has the first page's origin, which is the only recipient of the token. */
function nextPage(link: string, first: string): string | undefined {
  const next = link.split(",").find((linkValue) => /;\s*rel="?next"?/.test(linkValue));
  const address = /<([^<>]+)>/.exec(next ?? "")?.[1];
  if (address === undefined || !URL.canParse(address, first)) return undefined;
  const url = new URL(address, first);
  return url.origin === new URL(first).origin ? url.href : undefined;
}

/** Removes characters that change the display of other text. */
function withoutControlCharacters(line: string): string {
  return line.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "").trim();
}
