// The pages of LTI: small, of one file, framed by the platform alone where they show anything.
import { randomText } from "../mac.ts";

export interface PageOptions {
  readonly title: string;
  /** HTML; what is not ours in it is escaped. */
  readonly body: string;
  /** JavaScript of ours; `data` is there as `data`. */
  readonly script?: string;
  readonly data?: unknown;
  /** Origins that a form of the page is sent to, beside our own. */
  readonly sendsTo?: readonly string[];
  /** Origins that may frame it; `*`: any, of a page that shows nothing of anybody. */
  readonly frames: readonly string[];
  readonly status?: number;
}

const style = `:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}
body{margin:0 auto;max-width:46rem;padding:1.5rem}
h1{font-size:1.4rem;line-height:1.2}
button,.button{font:inherit;padding:.5rem 1rem;border:1px solid;border-radius:.4rem;background:none;color:inherit;cursor:pointer}
table{border-collapse:collapse;width:100%;margin:1rem 0}
th,td{text-align:left;padding:.4rem .6rem .4rem 0;border-bottom:1px solid #8886;vertical-align:top}
.wide{overflow-x:auto}form.row{display:inline-block;margin-right:.5rem}
label.choice{display:block;padding:.4rem 0}`;

export function htmlPage({ title, body, script, data, sendsTo = [], frames, status = 200 }: PageOptions): Response {
  const nonce = randomText(26);
  const given =
    script === undefined ? "" : `<script nonce="${nonce}">const data=${scriptJson(data)};${script}</script>`;
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">
<title>${escaped(title)} · Sandbar</title><style nonce="${nonce}">${style}</style></head>
<body><main>${body}</main>${given}</body></html>`;
  const policy = [
    "default-src 'none'",
    `style-src 'nonce-${nonce}'`,
    ...(script === undefined ? [] : [`script-src 'nonce-${nonce}'`]),
    "base-uri 'none'",
    ["form-action 'self'", ...sendsTo].join(" "),
    `frame-ancestors ${["'self'", ...frames].join(" ")}`,
  ];
  const headers = { "content-type": "text/html; charset=UTF-8", "content-security-policy": policy.join("; ") };
  return new Response(html, { status, headers: { ...headers, ...guarded } });
}

/** A sentence in place of what was asked for. */
export function problemPage(message: string, status: number): Response {
  return htmlPage({
    title: "This did not work",
    body: `<h1>This did not work</h1><p>${escaped(message)}</p>`,
    frames: ["*"],
    status,
  });
}

/** Headers of every answer here. */
export const guarded = {
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "referrer-policy": "strict-origin",
} as const;

/** The browser goes on to an address by `GET`. */
export function sentOn(location: string): Response {
  return new Response(null, { status: 303, headers: { location, ...guarded } });
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Text as it stands in HTML, also within an attribute. */
export function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? "");
}

/** Hidden fields of a form. */
export function hidden(fields: Readonly<Record<string, string>>): string {
  return Object.entries(fields)
    .map(([name, value]) => `<input type="hidden" name="${escaped(name)}" value="${escaped(value)}">`)
    .join("");
}

/** The origin of an address; nothing, where it has none that a policy can name. */
export function originOf(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { origin, protocol } = new URL(text);
  return protocol === "https:" || protocol === "http:" ? origin : undefined;
}

/** JSON that no `</script>` within it ends. */
function scriptJson(data: unknown): string {
  return JSON.stringify(data ?? null).replaceAll("<", "\\u003c");
}
