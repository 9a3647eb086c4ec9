// The embedded frame `/embed/pk_...`. If the key allows the origin of the surrounding page, the page contains a ticket. Otherwise it is a
// sentence with the reason, which every page can frame.
import { embedLimits } from "../../shared/base/embed-limits.ts";
import { findPublishableKey } from "./control-api/embed/publishable-keys.ts";
import { sign } from "./control-api/embed/signed.ts";
import type { ControlApiServer } from "./control-api/server.ts";

export interface EmbedPages {
  readonly controlApi: Pick<
    ControlApiServer,
    "publishableKeys" | "secret" | "secrets" | "console" | "nowMs" | "report"
  >;
  /** Loads a built file by path. */
  file(path: string, request: Request): Promise<Response>;
}

/** The placeholders of the built page that are filled at request time. */
const places = { ticket: 'name="sandbar-ticket" content=""', origin: 'name="sandbar-origin" content=""' } as const;

/** Returns undefined if the path is not a frame's. */
export async function embedPage(request: Request, url: URL, pages: EmbedPages): Promise<Response | undefined> {
  const key = /^\/embed\/(pk_[a-z0-9]+)$/.exec(url.pathname)?.[1];
  if (key === undefined || (request.method !== "GET" && request.method !== "HEAD")) return undefined;
  try {
    return await framePage(request, url, key, pages);
  } catch (error) {
    pages.controlApi.report(error, "the page of a frame");
    return sentence(request, url, "unavailable");
  }
}

async function framePage(request: Request, url: URL, key: string, { controlApi, file }: EmbedPages): Promise<Response> {
  const { secret, nowMs } = controlApi;
  const publishableKey = await findPublishableKey(controlApi, key);
  if (!publishableKey) return sentence(request, url, "unknown");
  const discovery = `<link rel="alternate" type="application/json+oembed" href="${controlApi.console}/v1/oembed?url=${encodeURIComponent(url.href)}">`;
  if (request.headers.get("sec-fetch-dest") === "document") return sentence(request, url, "alone", { discovery });
  const origin = originAround(request.headers);
  if (origin === undefined) return sentence(request, url, "silent", { discovery });
  if (!publishableKey.origins.includes(origin)) return sentence(request, url, "origin", { discovery, origin });
  const built = await file("/embed.html", new Request(new URL("/embed.html", url)));
  if (!built.ok) throw new Error(`the frame's page is answered ${built.status}`);
  const how = { nowMs: nowMs(), forMs: embedLimits.embedSessionMs };
  const ticket = await sign(secret, "ticket", { key, origin }, how);
  const text = filled(filled(await built.text(), places.ticket, ticket), places.origin, origin);
  return new Response(request.method === "HEAD" ? null : text, {
    headers: {
      ...common,
      "content-security-policy": [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        // The browser checks all ancestors, not only the nearest one.
        `frame-ancestors ${publishableKey.origins.join(" ")}`,
      ].join("; "),
    },
  });
}

const common = {
  "content-type": "text/html; charset=UTF-8",
  // The page contains a ticket for the requesting page.
  "cache-control": "no-store",
  vary: "Referer, Sec-Fetch-Dest, Accept-Language",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
} as const;

/** Returns the origin of the surrounding page from `Referer`. Frames of embed.js always send it. */
function originAround(headers: Headers): string | undefined {
  const referer = headers.get("referer") ?? "";
  return URL.canParse(referer) ? new URL(referer).origin : undefined;
}

function filled(text: string, place: string, value: string): string {
  if (!text.includes(place)) throw new Error(`the frame's page has no ${place}`);
  return text.replace(place, place.replace('content=""', `content="${value}"`));
}

type Reason = keyof (typeof sentences)["en"];

/** The sentences by language; `ORIGIN` is replaced. */
const sentences = {
  en: {
    unknown: "This cluster cannot be shown: there is no such publishable key, or it has been revoked.",
    alone: "This address is made to be shown within a page.",
    silent:
      'This cluster cannot be shown: the page does not say where it stands. Give its frame referrerpolicy="origin".',
    origin: "This cluster cannot be shown here: its publishable key is not for pages of ORIGIN.",
    unavailable: "This cluster cannot be shown at the moment. Try again in a minute.",
  },
  de: {
    unknown: "Dieser Cluster kann nicht gezeigt werden: Den Publishable Key gibt es nicht, oder er wurde widerrufen.",
    alone: "Diese Adresse ist dafür gemacht, in einer Seite gezeigt zu werden.",
    silent:
      'Dieser Cluster kann nicht gezeigt werden: Die Seite sagt nicht, wo sie steht. Ihr Rahmen braucht referrerpolicy="origin".',
    origin: "Dieser Cluster kann hier nicht gezeigt werden: Der Publishable Key gilt nicht für Seiten von ORIGIN.",
    unavailable: "Dieser Cluster kann gerade nicht gezeigt werden. Bitte in einer Minute noch einmal versuchen.",
  },
} as const;

const statuses = { unknown: 404, alone: 200, silent: 403, origin: 403, unavailable: 503 } as const;

function sentence(
  request: Request,
  url: URL,
  reason: Reason,
  { discovery = "", origin = "" }: { readonly discovery?: string; readonly origin?: string } = {},
): Response {
  const languages = url.searchParams.get("language") ?? request.headers.get("accept-language") ?? "";
  const language = /^de\b/i.test(languages) ? "de" : "en";
  const text = sentences[language][reason].replace("ORIGIN", escaped(origin));
  const style =
    "html{color-scheme:light dark;font:100%/1.5 system-ui,sans-serif}body{margin:0;min-height:100dvh;display:grid;place-items:center}p{max-width:36rem;padding:1rem;margin:0}";
  const html = `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="robots" content="noindex"><title>Sandbar</title>${discovery}<style>${style}</style></head><body><p role="alert" data-reason="${reason}">${text}</p></body></html>`;
  return new Response(request.method === "HEAD" ? null : html, {
    status: statuses[reason],
    headers: {
      ...common,
      "content-security-policy":
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors *",
    },
  });
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
