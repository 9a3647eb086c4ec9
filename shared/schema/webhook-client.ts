// The address of a webhook of admission or conversion (upstream: HookClient of apiserver/pkg/util/webhook, and client-go's rest.Request.URL).
import type { WebhookClientConfig } from "../k8s/api/admissionregistration-v1.ts";
import type { Recipient } from "../k8s/outbound-call.ts";

const defaultPort = 443;

/** Returns the address. Undefined if the configuration names neither a URL nor a Service. */
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

/** Joins like Go's `path.Join("/", path)`, which removes empty segments, dots and a trailing slash. */
function joinPath(path: string): string {
  const segments: string[] = [];
  for (const segment of path.split("/")) {
    if (segment === "..") segments.pop();
    else if (segment !== "" && segment !== ".") segments.push(segment);
  }
  return `/${segments.join("/")}`;
}

/** Decodes a path. Validation has refused invalid escapes; bytes that are not UTF-8 stay escaped. */
function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Encodes like Go's `EscapedPath`: unlike `encodeURIComponent`, it keeps `$&+,/:;=@` and escapes `!'()*`. */
function encodePath(path: string): string {
  return encodeURIComponent(path)
    .replace(/%(?:24|26|2B|2C|2F|3A|3B|3D|40)/g, decodeURIComponent)
    .replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}
