// Keeps the cookies of this service apart from those of sandboxes.

/** The names of the service's cookies. Over HTTPS they have the prefix `__Secure-`. Sandboxes cannot set them: see `withoutOwnCookies`. */
export const ownCookies = ["sandbar-session", "sandbar-oauth"];
/** The prefix of the cookies of LTI logins, which have no `__Secure-`. */
const loginCookies = "sandbar-lti-";
export const cookiePrefix = "__Secure-";

/** Removes cookies from a sandbox's response that this service would accept as its own. */
export function withoutOwnCookies(response: Response): Response {
  if (!response.headers.has("set-cookie")) return response;
  const all = response.headers.getSetCookie();
  const sandboxCookies = all.filter((cookie) => {
    const name = (cookie.split("=")[0] ?? "").trim().replace(cookiePrefix, "");
    return !ownCookies.includes(name) && !name.startsWith(loginCookies);
  });
  if (sandboxCookies.length === all.length) return response;
  const filteredResponse = new Response(response.body, response);
  filteredResponse.headers.delete("set-cookie");
  for (const cookie of sandboxCookies) filteredResponse.headers.append("set-cookie", cookie);
  return filteredResponse;
}
