// Links in pages that pass a proxy (upstream: apimachinery's proxy `Transport`): what leads to the server's root leads through the proxy.

/** Which attributes of which tags are addresses. */
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
  /** The server's own `host:port`, as the request named it. */
  readonly host: string;
  /** The path under which the proxy serves it. */
  readonly prefix: string;
}

/** In time that grows with the page's length alone. */
export function withLinks(page: string, at: ProxiedAt): string {
  const parts: string[] = [];
  let done = 0;
  for (let open = page.indexOf("<"); open >= 0; open = page.indexOf("<", done)) {
    const close = page.indexOf(">", open);
    if (close < 0) break;
    parts.push(page.slice(done, open), withTag(page.slice(open, close + 1), at));
    done = close + 1;
  }
  parts.push(page.slice(done));
  return parts.join("");
}

function withTag(tag: string, at: ProxiedAt): string {
  const name = /^<([a-z]+)[\s/]/i.exec(tag)?.[1]?.toLowerCase() ?? "";
  const own = Object.hasOwn(addresses, name) ? addresses[name] : undefined;
  if (!own) return tag;
  return tag.replace(
    /(\s)([a-z]+)=(?:"([^"]*)"|'([^']*)')/gi,
    (whole, space: string, key: string, double?: string, single?: string) => {
      if (!own.includes(key.toLowerCase())) return whole;
      return `${space}${key}="${proxiedLink(double ?? single ?? "", at)}"`;
    },
  );
}

/** What leads elsewhere, or is relative, stays as it is. */
export function proxiedLink(link: string, { host, prefix }: ProxiedAt): string {
  const start = /^(?:https?:)?\/\//i.exec(link)?.[0].length ?? 0;
  const end = start === 0 ? 0 : start + (/[/?#]|$/.exec(link.slice(start))?.index ?? 0);
  if (start > 0 && link.slice(start, end) !== host) return link;
  // Upstream leaves out where the server is: it is reached through the proxy alone.
  const path = link.slice(end);
  if (!path.startsWith("/")) return link;
  return path.startsWith(prefix) ? path : `${prefix}${path}`;
}
