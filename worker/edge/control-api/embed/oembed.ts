// oEmbed 1.0: returns the HTML of the frame for a URL. See oembed.com.
import type * as z from "zod";
import { type Oembed, type oembedQuery } from "../../../../shared/contract/hosted/embed.ts";
import { ControlError } from "../control-error.ts";
import type { ControlApiServer } from "../server.ts";
import { findPublishableKey } from "./publishable-keys.ts";

/** The default size in pixels. */
const usual = { width: 800, height: 480 };
const cacheSeconds = 3600;

export async function oembedOf(
  controlApi: ControlApiServer,
  { url, maxwidth, maxheight, format }: z.output<typeof oembedQuery>,
): Promise<Oembed> {
  if (format !== "json") throw new ControlError(501, "format_unknown", "there is no answer but as json");
  const { console: base } = controlApi;
  const frame = URL.canParse(url) ? new URL(url) : undefined;
  const key = frame && frame.host === new URL(base).host ? /^\/embed\/(pk_\w+)$/.exec(frame.pathname)?.[1] : undefined;
  const publishableKey = key === undefined ? undefined : await findPublishableKey(controlApi, key);
  if (!frame || !publishableKey) throw new ControlError(404, "not_found", "there is no frame at this address");
  const width = Math.min(usual.width, maxwidth ?? usual.width);
  const height = Math.min(usual.height, maxheight ?? usual.height);
  // A parsed URL contains no characters that end an attribute except the ampersand.
  const source = `${base}${frame.pathname}${frame.search}`.replaceAll("&", "&amp;");
  const title = titleOf(frame.searchParams);
  return {
    version: "1.0",
    type: "rich",
    provider_name: "Sandbar",
    provider_url: base,
    title,
    html: `<iframe src="${source}" width="${width}" height="${height}" style="border:0;width:100%" loading="lazy" referrerpolicy="origin" allow="clipboard-read; clipboard-write; fullscreen" title="${title}"></iframe>`,
    width,
    height,
    cache_age: cacheSeconds,
  };
}

/** Uses only the names from the URL, and ignores everything else. */
function titleOf(query: URLSearchParams): string {
  for (const what of ["lesson", "template"]) {
    const name = query.get(what) ?? "";
    if (/^[a-z0-9][-a-z0-9@]{0,80}$/.test(name))
      return `Kubernetes ${what === "lesson" ? "lesson" : "cluster"}: ${name}`;
  }
  return "Kubernetes cluster";
}
