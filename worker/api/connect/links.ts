// Rewrites links in proxied pages (upstream: apimachinery's proxy `Transport`), so that root-relative links lead through the proxy.

/** The attributes with URLs, by tag. */
const addresses: Readonly<Record<string, readonly string[]>> = {
  a: ["href"],
  applet: ["codebase"],
  area: ["href"],
  audio: ["src"],
  base: ["href"],
  blockquote: ["cite"],
  body: ["background"],
  button: ["formaction"],
  command: ["icon"],
  del: ["cite"],
  embed: ["src"],
  form: ["action"],
  frame: ["longdesc", "src"],
  head: ["profile"],
  html: ["manifest"],
  iframe: ["longdesc", "src"],
  img: ["longdesc", "src", "usemap"],
  input: ["src", "usemap", "formaction"],
  ins: ["cite"],
  link: ["href"],
  object: ["classid", "codebase", "data", "usemap"],
  q: ["cite"],
  script: ["src"],
  source: ["src"],
  video: ["poster", "src"],
};

export interface ProxiedAt {
  /** The `host:port` of the server in the request. */
  readonly host: string;
  /** The path under which the proxy serves the server. */
  readonly prefix: string;
}

/** Rewrites the links of a page in linear time. */
export function withLinks(page: string, at: ProxiedAt): string {
  const chunks: string[] = [];
  let done = 0;
  for (let open = page.indexOf("<"); open >= 0; open = page.indexOf("<", done)) {
    const close = page.indexOf(">", open);
    if (close < 0) break;
    chunks.push(page.slice(done, open), withTag(page.slice(open, close + 1), at));
    done = close + 1;
  }
  chunks.push(page.slice(done));
  return chunks.join("");
}

function withTag(tag: string, at: ProxiedAt): string {
  const name = /^<([a-z]+)[\s/]/i.exec(tag)?.[1]?.toLowerCase() ?? "";
  const urlAttributes = Object.hasOwn(addresses, name) ? addresses[name] : undefined;
  if (!urlAttributes) return tag;
  return tag.replace(
    /(\s)([a-z]+)=(?:"([^"]*)"|'([^']*)')/gi,
    (match, space: string, key: string, double?: string, single?: string) => {
      if (!urlAttributes.includes(key.toLowerCase())) return match;
      return `${space}${key}="${proxiedLink(double ?? single ?? "", at)}"`;
    },
  );
}

/** Rewrites a link. Relative links and links to other hosts are unchanged. */
export function proxiedLink(link: string, { host, prefix }: ProxiedAt): string {
  const start = /^(?:https?:)?\/\//i.exec(link)?.[0].length ?? 0;
  const end = start === 0 ? 0 : start + (/[/?#]|$/.exec(link.slice(start))?.index ?? 0);
  if (start > 0 && link.slice(start, end) !== host) return link;
  // Upstream drops the host, because only the proxy can reach it.
  const path = link.slice(end);
  if (!path.startsWith("/")) return link;
  return path.startsWith(prefix) ? path : `${prefix}${path}`;
}
