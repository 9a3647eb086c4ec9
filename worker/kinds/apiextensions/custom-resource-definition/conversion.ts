// Validates the conversion of a definition: none, or a webhook.
import { decodeUtf8Leniently } from "../../../../shared/base/utf8.ts";
import { tryBytesOfBase64 } from "../../../../shared/base/base64.ts";
import type { CustomResourceConversion } from "../../../../shared/k8s/api/apiextensions-v1.ts";
import {
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  notSupportedInOrder,
  required,
} from "../../../../shared/k8s/field.ts";
import { dns1035Label } from "../../../../shared/k8s/names.ts";
import { validateClient } from "../../admissionregistration/webhook-client.ts";

const strategies = ["None", "Webhook"];
const supportedVersions = ["v1", "v1beta1"];

export interface ConversionRules {
  readonly knownReviewVersion: boolean;
  readonly validCaBundle: boolean;
}

export function validateConversion(
  { strategy, webhook }: CustomResourceConversion,
  rules: ConversionRules,
  at: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  if (strategy === "") errors.push(required(at.child("strategy")));
  else if (!strategies.includes(strategy)) errors.push(notSupportedInOrder(at.child("strategy"), strategy, strategies));
  const [client, reviews] = [at.child("webhookClientConfig"), at.child("conversionReviewVersions")];
  const { clientConfig, conversionReviewVersions: versions = [] } = webhook ?? {};
  if (strategy !== "Webhook") {
    const why = "should not be set when strategy is not set to Webhook";
    if (clientConfig) errors.push(forbidden(client, why));
    if (versions.length > 0) errors.push(forbidden(reviews, why));
    return errors;
  }
  if (!clientConfig) errors.push(required(client, "required when strategy is set to Webhook"));
  else {
    errors.push(...validateClient(clientConfig, client));
    if (clientConfig.caBundle && rules.validCaBundle) {
      errors.push(...validateCaBundle(clientConfig.caBundle, client.child("caBundle")));
    }
  }
  return [...errors, ...reviewErrors(versions, rules.knownReviewVersion, reviews)];
}

function reviewErrors(versions: readonly string[], mustBeKnown: boolean, at: FieldPath): FieldError[] {
  if (versions.length === 0) return [required(at)];
  const errors = versions.flatMap((reviewVersion, index) => {
    if (versions.indexOf(reviewVersion) < index) return [invalid(at.index(index), reviewVersion, "duplicate version")];
    return dns1035Label(reviewVersion).map((message) => invalid(at.index(index), reviewVersion, message));
  });
  if (mustBeKnown && !versions.some((reviewVersion) => supportedVersions.includes(reviewVersion))) {
    errors.push(invalid(at, versions, `must include at least one of ${supportedVersions.join(", ")}`));
  }
  return errors;
}

/** Validates base64 of PEM certificates. */
export function validateCaBundle(bundle: string, at: FieldPath): FieldError[] {
  const bytes = tryBytesOfBase64(bundle);
  const text = bytes && decodeUtf8Leniently(bytes);
  if (text !== undefined && /-----BEGIN CERTIFICATE-----[\s\S]+-----END CERTIFICATE-----/.test(text)) return [];
  const why = "unable to load root certificates: unable to parse bytes as PEM block";
  return [invalid(at, bundle, why)];
}
