// The shared behaviour of validating and mutating webhooks: defaults, validation and columns.
import type {
  MutatingWebhook,
  MutatingWebhookConfiguration,
  ValidatingWebhook,
  ValidatingWebhookConfiguration,
} from "../../../shared/k8s/api/admissionregistration-v1.ts";
import { semanticEqual } from "../../../shared/k8s/equal.ts";
import {
  type FieldError,
  type FieldPath,
  duplicate,
  invalid,
  notSupported,
  path,
  required,
} from "../../../shared/k8s/field.ts";
import { dns1035Label, dns1123Subdomain } from "../../../shared/k8s/names.ts";
import { ageColumn, nameColumn } from "../common/printers.ts";
import type { Behaviour, Column } from "../kind.ts";
import { each, validateLabelSelectorValues } from "../common/checks.ts";
import { validateMatchConditions } from "./match-conditions.ts";
import { failurePolicies, matchPolicies, reinvocationPolicies } from "./policies.ts";
import { defaultRule, validateRule } from "./rules.ts";
import { defaultClient, validateClient } from "./webhook-client.ts";
import { repeatsOf } from "../../../shared/k8s/repeats.ts";

type Configuration = ValidatingWebhookConfiguration | MutatingWebhookConfiguration;
type Webhook = ValidatingWebhook | MutatingWebhook;

const sideEffects = ["None", "NoneOnDryRun"];
/** The AdmissionReview versions that the API server supports. */
const reviewVersions = ["v1", "v1beta1"];
/** The timeout of a webhook. */
const timeoutSeconds = { default: 10, min: 1, max: 30 };

/** Returns the behaviour of both kinds of configuration. */
export function webhookBehaviour<T extends Configuration>(): Behaviour<T> {
  return {
    // Upstream validates an update like a creation: it does not require immutable metadata here.
    validateUpdate: (_next, _previous, check) => [...check.objectMeta(), ...check.validate()],
    allowUnconditionalUpdate: false,
    defaults({ webhooks = [] }) {
      for (const hook of webhooks) defaultWebhook(hook);
    },
    raisesGeneration: (next, previous) => !semanticEqual(next.webhooks, previous.webhooks),
    validate: validateWebhooks,
    warnings: warningsForStaticSuffix,
    columns: webhookColumns,
  };
}

export function defaultWebhook(hook: Webhook): void {
  defaultClient(hook.clientConfig);
  for (const rule of hook.rules ?? []) defaultRule(rule);
  hook.failurePolicy ??= "Fail";
  hook.matchPolicy ??= "Equivalent";
  hook.namespaceSelector ??= {};
  hook.objectSelector ??= {};
  hook.timeoutSeconds ??= timeoutSeconds.default;
}

function validateWebhooks({ webhooks = [] }: Configuration): FieldError[] {
  const repeats = repeatsOf(webhooks, ({ name }) => name);
  return webhooks.flatMap((hook, index) => {
    const at = path("webhooks").index(index);
    const isRepeated = hook.name !== "" && repeats[index];
    return [
      ...validateWebhook(hook, at),
      ...validateReviewVersions(hook.admissionReviewVersions ?? [], at.child("admissionReviewVersions")),
      ...(isRepeated ? [duplicate(at.child("name"), hook.name)] : []),
    ];
  });
}

export function warningsForStaticSuffix({ metadata }: { metadata: { name?: string } }): string[] {
  const suffix = ".static.k8s.io";
  if (!metadata.name?.endsWith(suffix)) return [];
  const reserved = "are reserved for static manifest-based configurations and cannot be managed via the API";
  return [`metadata.name: names ending with "${suffix}" ${reserved}`];
}

const webhookColumns: readonly Column<Configuration>[] = [
  nameColumn,
  {
    name: "Webhooks",
    type: "integer",
    description: "How many webhooks the configuration has.",
    cell: ({ webhooks = [] }) => webhooks.length,
  },
  ageColumn,
];

function validateWebhook(hook: Webhook, at: FieldPath): FieldError[] {
  const { failurePolicy, matchPolicy, timeoutSeconds: timeout } = hook;
  const errors = validateFullyQualifiedName(hook.name, at.child("name"));
  (hook.rules ?? []).forEach((rule, index) => errors.push(...validateRule(rule, at.child("rules").index(index))));
  errors.push(...oneOf(failurePolicy, at.child("failurePolicy"), failurePolicies));
  errors.push(...oneOf(matchPolicy, at.child("matchPolicy"), matchPolicies));
  if (hook.sideEffects === undefined) {
    errors.push(required(at.child("sideEffects"), `must specify one of ${sideEffects.join(", ")}`));
  }
  errors.push(...oneOf(hook.sideEffects, at.child("sideEffects"), sideEffects));
  if (timeout !== undefined && (timeout > timeoutSeconds.max || timeout < timeoutSeconds.min)) {
    const why = `the timeout value must be between ${timeoutSeconds.min} and ${timeoutSeconds.max} seconds`;
    errors.push(invalid(at.child("timeoutSeconds"), timeout, why));
  }
  errors.push(...validateLabelSelectorValues(hook.namespaceSelector, at.child("namespaceSelector")));
  errors.push(...validateLabelSelectorValues(hook.objectSelector, at.child("objectSelector")));
  if ("reinvocationPolicy" in hook) {
    errors.push(...oneOf(hook.reinvocationPolicy, at.child("reinvocationPolicy"), reinvocationPolicies));
  }
  errors.push(...validateClient(hook.clientConfig, at.child("clientConfig")));
  return [...errors, ...validateMatchConditions(hook.matchConditions ?? [], at.child("matchConditions"))];
}

function validateFullyQualifiedName(name: string, at: FieldPath): FieldError[] {
  if (!name) return [required(at)];
  const wrong = dns1123Subdomain(name);
  if (wrong.length) return [invalid(at, name, wrong.join(","))];
  if (name.split(".").length >= 3) return [];
  return [invalid(at, name, "should be a domain with at least three segments separated by dots")];
}

function validateReviewVersions(versions: readonly string[], at: FieldPath): FieldError[] {
  const supported = reviewVersions.join(", ");
  if (!versions.length) return [required(at, `must specify one of ${supported}`)];
  const errors = versions.flatMap((version, index) => {
    if (versions.indexOf(version) < index) return [invalid(at.index(index), version, "duplicate version")];
    return each(dns1035Label(version), at.index(index), version);
  });
  if (versions.some((version) => reviewVersions.includes(version))) return errors;
  return [...errors, invalid(at, versions, `must include at least one of ${supported}`)];
}

function oneOf(value: string | undefined, at: FieldPath, supported: readonly string[]): FieldError[] {
  return value === undefined || supported.includes(value) ? [] : [notSupported(at, value, supported)];
}
