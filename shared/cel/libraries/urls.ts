// URLs: `url("https://example.com:80/path").getHost()`.
import { type Library, urlType } from "../functions.ts";
import { type RequestUrl, hostname, parseRequestUrl, portOf, queryOf } from "../request-url.ts";
import { type OpaqueValue, type Value, fail, list, mapOf } from "../values.ts";

export const urls: Library = {
  "url(string) URL": read,
  "isURL(string) bool": (text: string) => !("error" in parseRequestUrl(text)),
  ".getScheme(URL) string": (value: OpaqueValue) => of(value).scheme,
  ".getHost(URL) string": (value: OpaqueValue) => of(value).host,
  ".getHostname(URL) string": (value: OpaqueValue) => hostname(of(value)),
  ".getPort(URL) string": (value: OpaqueValue) => portOf(of(value)),
  ".getEscapedPath(URL) string": (value: OpaqueValue) => of(value).path,
  ".getQuery(URL) map(string, list(string))": (value: OpaqueValue) =>
    mapOf([...queryOf(of(value))].map(([name, values]) => [name, list(values)] as const)),
};

function read(text: string): Value {
  const url = parseRequestUrl(text);
  if ("error" in url) return fail(`URL parse error during conversion from string: ${url.error}`);
  return { kind: "opaque", type: urlType, data: url, equal: (value) => of(value).text === url.text };
}

/** Only `url()` creates values of this type. */
function of({ data }: OpaqueValue): RequestUrl {
  return data as RequestUrl;
}
