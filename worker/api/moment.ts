// The past moment that a request names.

export const momentParameter = "at";
const pathShape = /^\/at\/([^/]+)(\/.*)?$/;

/** Moves the moment from the path to the query. A kubeconfig's server can have a path, but no query. */
export function withMomentInQuery(url: URL): URL {
  const [, moment, path = "/"] = pathShape.exec(url.pathname) ?? [];
  if (moment === undefined) return url;
  url.pathname = path;
  url.searchParams.set(momentParameter, decoded(moment));
  return url;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
