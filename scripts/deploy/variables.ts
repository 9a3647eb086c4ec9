// The variables of the service: the one table from which `npm run deploy` writes them. A test compares it with what the sources read, and
// with docs/configuration.md.
import type { DeploySettings } from "./settings.ts";

export interface Variable {
  readonly name: `SANDBAR_${string}`;
  /** The service that reads it. `own`: the service sets it for itself. */
  readonly where: "local" | "both" | "Worker" | "own";
  /** The setting of deploy.json that it has, as a path. `environment`: a secret that the command takes from its own environment. */
  readonly setting?: string;
  /** Returns the value of a deployment. Undefined leaves alone what was set elsewhere; an empty value clears it. */
  readonly value?: (settings: DeploySettings) => string | undefined;
  readonly isSecret?: true;
}

/** A setting that is null clears the variable. */
function optional(value: string | null | undefined): string | undefined {
  return value === null ? "" : value;
}

export const variables: readonly Variable[] = [
  { name: "SANDBAR_HTTPS_PORT", where: "local" },
  { name: "SANDBAR_HTTP_PORT", where: "local" },
  { name: "SANDBAR_LISTEN", where: "local" },
  { name: "SANDBAR_HTTP_LISTEN", where: "local" },
  { name: "SANDBAR_DATA", where: "local" },
  { name: "SANDBAR_PROCESSES", where: "local" },
  { name: "SANDBAR_LOCAL_KEY", where: "local" },
  { name: "SANDBAR_SKIP_BUILD", where: "local" },
  { name: "SANDBAR_DEBUG", where: "local" },
  {
    name: "SANDBAR_SERVER",
    where: "both",
    setting: "domain",
    value: ({ domain }) => (domain === undefined ? undefined : `https://${domain}`),
  },
  {
    name: "SANDBAR_DOMAIN",
    where: "both",
    setting: "wildcard",
    value: ({ domain, wildcard }) => (wildcard === undefined ? undefined : wildcard && domain ? domain : ""),
  },
  {
    name: "SANDBAR_KUBELET_DELAYS",
    where: "both",
    setting: "kubeletDelays",
    value: ({ kubeletDelays }) => optional(kubeletDelays),
  },
  {
    name: "SANDBAR_LIMITS",
    where: "both",
    setting: "limits",
    value: ({ limits }) => optional(limits && JSON.stringify(limits)),
  },
  { name: "SANDBAR_PLAN", where: "both", setting: "plan", value: ({ plan }) => optional(plan) },
  { name: "SANDBAR_OPERATOR_KEY", where: "both", setting: "environment", isSecret: true },
  {
    name: "SANDBAR_OTLP_ENDPOINT",
    where: "both",
    setting: "otlpEndpoint",
    value: ({ otlpEndpoint }) => optional(otlpEndpoint),
  },
  { name: "SANDBAR_OTLP_HEADERS", where: "both", setting: "environment", isSecret: true },
  {
    name: "SANDBAR_TRIAL",
    where: "both",
    setting: "trial",
    value: ({ trial }) =>
      trial === undefined ? undefined : trial === true ? "on" : trial === false || trial === null ? "" : String(trial),
  },
  {
    name: "SANDBAR_CLIENT_CERTIFICATES",
    where: "both",
    setting: "clientCertificates",
    value: ({ clientCertificates }) => optional(clientCertificates),
  },
  {
    name: "SANDBAR_GITHUB_CLIENT_ID",
    where: "both",
    setting: "github.clientId",
    value: ({ github }) => optional(github && github.clientId),
  },
  { name: "SANDBAR_GITHUB_CLIENT_SECRET", where: "both", setting: "environment", isSecret: true },
  {
    name: "SANDBAR_GITHUB_URL",
    where: "both",
    setting: "github.url",
    value: ({ github }) => optional(github && github.url),
  },
  {
    name: "SANDBAR_GITHUB_API",
    where: "both",
    setting: "github.api",
    value: ({ github }) => optional(github && github.api),
  },
  { name: "SANDBAR_SIGN_UP", where: "both", setting: "signUp", value: ({ signUp }) => optional(signUp) },
  {
    name: "SANDBAR_MAIL",
    where: "both",
    setting: "mail",
    value: ({ mail }) => optional(mail && JSON.stringify(mail)),
  },
  { name: "SANDBAR_MAIL_KEY", where: "both", setting: "environment", isSecret: true },
  { name: "SANDBAR_LOCATION", where: "Worker", setting: "location", value: ({ location }) => location },
  { name: "SANDBAR_JURISDICTION", where: "Worker", setting: "jurisdiction", value: ({ jurisdiction }) => jurisdiction },
  { name: "SANDBAR_SECRET", where: "Worker", setting: "environment", isSecret: true },
  { name: "SANDBAR_SECRET_OLD", where: "Worker", isSecret: true },
  { name: "SANDBAR_DATABASES_BEFORE", where: "own" },
  { name: "SANDBAR_CA", where: "own" },
  { name: "SANDBAR_PROCESS", where: "own" },
];

/** Returns the values that a deployment sets. */
export function valuesOf(settings: DeploySettings): [name: string, value: string][] {
  return variables.flatMap(({ name, value }) => {
    const text = value?.(settings);
    return text === undefined ? [] : [[name, text]];
  });
}
