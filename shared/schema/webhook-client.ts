// The address of a webhook of admission or conversion (upstream: HookClient of apiserver/pkg/util/webhook, and client-go's rest.Request.URL).
import type { WebhookClientConfig } from "../k8s/api/admissionregistration-v1.ts";
import type { Recipient } from "../k8s/outbound-call.ts";

const defaultPort = 443;

/** Returns undefined if the configuration names neither a URL nor a Service. */
export function recipientOfWebhook(
  config: WebhookClientConfig | undefined,
  timeoutSeconds: number,
): Recipient | undefined {
  const { url, service, caBundle } = config ?? {};
  const trust = caBundle ? { caBundle } : {};
  const query = `?timeout=${timeoutSeconds}s`;
  if (service) {
    const { namespace, name, port = defaultPort, path = "" } = service;
    const origin = `https://${name}.${namespace}.svc:${port}`;
    return { url: `${origin}${encodePath(joinPath(path))}${query}`, service: { namespace, name, port }, ...trust };
  }
  if (!url) return undefined;
  const [, origin = "", path = ""] = /^([^/?#]*\/\/[^/?#]*)([^?#]*)/.exec(url) ?? [];
  return { url: `${origin}${encodePath(joinPath(decodePath(path)))}${query}`, ...trust };
}

/** Go's `path.Join("/", path)`: empty segments, dots and a trailing slash go. */
function joinPath(path: string): string {
  const segments: string[] = [];
  for (const segment of path.split("/")) {
    if (segment === "..") segments.pop();
    else if (segment !== "" && segment !== ".") segments.push(segment);
  }
  return `/${segments.join("/")}`;
}

/** Validation has refused what is no escape; bytes that are no UTF-8 stay escaped. */
function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Go's `EscapedPath`: of what `encodeURIComponent` escapes, `$&+,/:;=@` stay, and `!'()*` are escaped beside it. */
function encodePath(path: string): string {
  return encodeURIComponent(path)
    .replace(/%(?:24|26|2B|2C|2F|3A|3B|3D|40)/g, decodeURIComponent)
    .replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}
