// The Secret of a bootstrap token.
import { base64OfText } from "../../../shared/base/base64.ts";
import type { TokenRequest } from "../../containers/node/requests.ts";

/** Returns the data of the Secret. `expiration`: a time; undefined if the token does not expire. */
export function dataOf(token: TokenRequest, expiration: string | undefined): Record<string, string> {
  const texts: Record<string, string> = {
    "token-id": token.id,
    "token-secret": token.secret,
    ...(token.description === "" ? {} : { description: token.description }),
    ...(expiration === undefined ? {} : { expiration }),
    ...Object.fromEntries(token.usages.map((usage) => [`usage-bootstrap-${usage}`, "true"])),
    ...(token.groups.length > 0 ? { "auth-extra-groups": token.groups.join(",") } : {}),
  };
  return Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, base64OfText(text)]));
}
