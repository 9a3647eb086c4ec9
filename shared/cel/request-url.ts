// URLs as Go's url.ParseRequestURI and url.Parse parse them.
export interface RequestUrl {
  readonly scheme: string;
  readonly host: string;
  readonly path: string;
  readonly query: string;
  readonly text: string;
}

type Problem = { readonly error: string };

export function parseRequestUrl(text: string): RequestUrl | Problem {
  const wrong = (why: string) => ({ error: `parse ${JSON.stringify(text)}: ${why}` });
  if ([...text].some((char) => char < " " || char === "\u007f"))
    return wrong("net/url: invalid control character in URL");
  if (!text) return wrong("empty url");
  if (text === "*") return { scheme: "", host: "", path: "*", query: "", text };
  const scheme = schemeOf(text);
  if (scheme === undefined) return wrong("missing protocol scheme");
  const rest = scheme ? text.slice(scheme.length + 1) : text;
  const hash = rest.indexOf("#");
  const withoutFragment = hash < 0 ? rest : rest.slice(0, hash);
  const mark = withoutFragment.indexOf("?");
  const query = mark < 0 ? "" : withoutFragment.slice(mark + 1);
  let path = mark < 0 ? withoutFragment : withoutFragment.slice(0, mark);
  if (!path.startsWith("/")) {
    // A URL with a scheme but without a slash is opaque, which a request URL cannot be.
    return wrong("invalid URI for request");
  }
  let host = "";
  if (path.startsWith("//") && (scheme || !path.startsWith("///"))) {
    const slash = path.indexOf("/", 2);
    const authority = path.slice(2, slash < 0 ? undefined : slash);
    path = slash < 0 ? "" : path.slice(slash);
    const why = authorityProblem(authority);
    if (why) return wrong(why);
    host = authority.slice(authority.lastIndexOf("@") + 1);
  }
  const badEscape = /%(?![0-9a-fA-F]{2}).{0,2}/.exec(path)?.[0];
  if (badEscape !== undefined) return wrong(`invalid URL escape ${JSON.stringify(badEscape)}`);
  return { scheme: scheme.toLowerCase(), host, path: escapedPath(path), query, text };
}

export function hostname({ host }: RequestUrl): string {
  const bare = /:[0-9]*$/.test(host) ? host.slice(0, host.lastIndexOf(":")) : host;
  return bare.startsWith("[") && bare.endsWith("]") ? bare.slice(1, -1) : bare;
}

export function portOf({ host }: RequestUrl): string {
  return /:([0-9]*)$/.exec(host)?.[1] ?? "";
}

/** Returns the parameters of a query with all their values, in order. Malformed parameters are left out. */
export function queryOf({ query }: RequestUrl): ReadonlyMap<string, readonly string[]> {
  const all = new Map<string, string[]>();
  for (const pair of query.split("&")) {
    if (!pair || pair.includes(";")) continue;
    const equals = pair.indexOf("=");
    const name = unescaped(equals < 0 ? pair : pair.slice(0, equals));
    const value = unescaped(equals < 0 ? "" : pair.slice(equals + 1));
    if (name === undefined || value === undefined) continue;
    const values = all.get(name);
    if (values) values.push(value);
    else all.set(name, [value]);
  }
  return all;
}

/** Returns the scheme; "" if there is none, undefined if nothing stands before the colon. */
function schemeOf(text: string): string | undefined {
  if (text.startsWith(":")) return undefined;
  return /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(text)?.[1] ?? "";
}

function authorityProblem(authority: string): string | undefined {
  const at = authority.lastIndexOf("@");
  const user = at < 0 ? "" : authority.slice(0, at);
  if (/[^A-Za-z0-9\-._:~!$&'()*+,;=%@]/.test(user)) return "net/url: invalid userinfo";
  const host = authority.slice(at + 1);
  if (host.startsWith("[")) {
    const close = host.lastIndexOf("]");
    if (close < 0) return "missing ']' in host";
    return portProblem(host.slice(close + 1));
  }
  const colon = host.lastIndexOf(":");
  const wrongPort = colon < 0 ? undefined : portProblem(host.slice(colon));
  if (wrongPort) return wrongPort;
  const bad = /[ "<>\\^`{|}]/.exec(host)?.[0];
  return bad === undefined ? undefined : `invalid character ${JSON.stringify(bad)} in host name`;
}

function portProblem(text: string): string | undefined {
  if (text === "" || /^:[0-9]*$/.test(text)) return undefined;
  return `invalid port ${JSON.stringify(text)} after host`;
}

function escapedPath(path: string): string {
  const isPlain = /^[A-Za-z0-9\-._~!$&'()*+,;=:@/%[\]]*$/.test(path);
  return isPlain ? path : encodeURI(path.toWellFormed()).replace(/%25([0-9a-fA-F]{2})/g, "%$1");
}

function unescaped(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}
