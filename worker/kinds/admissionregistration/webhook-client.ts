// Validates the client configuration of a webhook: a URL, or a service of the cluster.
import type { ServiceReference, WebhookClientConfig } from "../../../shared/k8s/api/admissionregistration-v1.ts";
import { type FieldError, type FieldPath, invalid, required } from "../../../shared/k8s/field.ts";
import { dns1123Subdomain, portNumber } from "../../../shared/k8s/names.ts";

const form = "; desired format: https://host[/path]";
const defaultPort = 443;

export function defaultClient({ service }: WebhookClientConfig): void {
  if (service) service.port ??= defaultPort;
}

export function validateClient({ url, service }: WebhookClientConfig, at: FieldPath): FieldError[] {
  if (url !== undefined && service === undefined) return validateUrl(url, at.child("url"));
  if (service !== undefined && url === undefined) return validateService(service, at.child("service"));
  return [required(at, "exactly one of url or service is required")];
}

function validateUrl(url: string, at: FieldPath): FieldError[] {
  const problem = urlProblem(url);
  if (problem) return [required(at, `url must be a valid URL: parse ${JSON.stringify(url)}: ${problem}${form}`)];
  const urlMatch = /^(?:([^:/?#]+):)?(?:\/\/([^/?#]*)(?![^/?#]))?[^?#]*(?:\?([^#]*))?(?:#(.*))?$/s.exec(url);
  const [, scheme = "", authority = "", query = "", fragment = ""] = urlMatch ?? [];
  const userEnd = authority.lastIndexOf("@");
  const host = authority.slice(userEnd + 1);
  const errors: FieldError[] = [];
  if (scheme.toLowerCase() !== "https") {
    errors.push(invalid(at, scheme.toLowerCase(), `'https' is the only allowed URL scheme${form}`));
  }
  if (!host) errors.push(invalid(at, host, `host must be specified${form}`));
  if (userEnd >= 0) {
    errors.push(invalid(at, authority.slice(0, userEnd), "user information is not permitted in the URL"));
  }
  if (fragment) errors.push(invalid(at, fragment, "fragments are not permitted in the URL"));
  if (query) errors.push(invalid(at, query, "query parameters are not permitted in the URL"));
  return errors;
}

/** Returns the error of Go's URL parser. */
function urlProblem(url: string): string | undefined {
  if ([...url].some((char) => char < " " || char === "\u007f")) return "net/url: invalid control character in URL";
  if (url.startsWith(":")) return "missing protocol scheme";
  const authority = /^(?:[A-Za-z][A-Za-z0-9+.-]*:)?\/\/([^/?#]*)/.exec(url)?.[1] ?? "";
  if (authority.slice(authority.lastIndexOf("@") + 1).startsWith("[") && !authority.includes("]")) {
    return "missing ']' in host";
  }
  const first = url.split(/[/?#]/)[0] ?? "";
  const isScheme = /^[A-Za-z][A-Za-z0-9+.-]*:/.test(first);
  if (first.includes(":") && !isScheme) return "first path segment in URL cannot contain colon";
  const escape = /%(?![0-9A-Fa-f]{2}).{0,2}/u.exec(url.split("?")[0] ?? "");
  return escape ? `invalid URL escape ${JSON.stringify(escape[0])}` : undefined;
}

/** Validates a service reference. Upstream swaps name and namespace, so each is reported at the other's path. */
function validateService(
  { namespace, name, path: text = "", port = 0 }: ServiceReference,
  at: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  if (!namespace) errors.push(required(at.child("name")));
  if (!name) errors.push(required(at.child("namespace")));
  const wrong = portNumber(port);
  if (wrong.length) errors.push(invalid(at.child("port"), port, `port is not valid: ${wrong.join(", ")}`));
  return [...errors, ...validatePath(text, at.child("path"))];
}

function validatePath(text: string, at: FieldPath): FieldError[] {
  if (text === "" || text === "/") return [];
  if (text === "//") return [invalid(at, text, "segment[0] may not be empty")];
  const errors = text.startsWith("/") ? [] : [invalid(at, text, "must start with a '/'")];
  const steps = text.slice(1).replace(/\/$/, "").split("/");
  return [
    ...errors,
    ...steps.flatMap((step, index) => {
      if (!step) return [invalid(at, text, `segment[${index}] may not be empty`)];
      return dns1123Subdomain(step).map((message) => invalid(at, text, `segment[${index}]: ${message}`));
    }),
  ];
}
