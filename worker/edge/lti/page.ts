// The pages of LTI, each a single file. Pages with personal data can be framed only by the platform.
import { randomText } from "../mac.ts";

export interface PageOptions {
  readonly title: string;
  /** The HTML, with values from others escaped. */
  readonly body: string;
  /** The script of the page, which reads `data`. */
  readonly script?: string;
  readonly data?: unknown;
  /** The origins to which a form of the page is submitted, in addition to our own. */
  readonly sendsTo?: readonly string[];
  /** The origins that can frame the page; `*` for a page without personal data. */
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
  const scriptElement =
    script === undefined ? "" : `<script nonce="${nonce}">const data=${scriptJson(data)};${script}</script>`;
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">
<title>${escaped(title)} · Sandbar</title><style nonce="${nonce}">${style}</style></head>
<body><main>${body}</main>${scriptElement}</body></html>`;
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

/** Returns a page with a sentence about an error. */
export function problemPage(message: string, status: number): Response {
  return htmlPage({
    title: "This did not work",
    body: `<h1>This did not work</h1><p>${escaped(message)}</p>`,
    frames: ["*"],
    status,
  });
}

/** The headers of every response here. */
export const guarded = {
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "referrer-policy": "strict-origin",
} as const;

/** Redirects the browser to a URL by `GET`. */
export function redirectTo(location: string): Response {
  return new Response(null, { status: 303, headers: { location, ...guarded } });
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes text for HTML, also for attributes. */
export function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? "");
}

/** Returns hidden fields of a form. */
export function hidden(fields: Readonly<Record<string, string>>): string {
  return Object.entries(fields)
    .map(([name, value]) => `<input type="hidden" name="${escaped(name)}" value="${escaped(value)}">`)
    .join("");
}

/** Returns the origin of a URL, or undefined if a policy cannot name it. */
export function originOf(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { origin, protocol } = new URL(text);
  return protocol === "https:" || protocol === "http:" ? origin : undefined;
}

/** Encodes JSON without `</script>`. */
function scriptJson(data: unknown): string {
  return JSON.stringify(data ?? null).replaceAll("<", "\\u003c");
}
