// Validates the driver name and the parameters of StorageClasses and VolumeAttributesClasses.
import { utf8Length } from "../../../shared/base/utf8.ts";
import { type FieldError, type FieldPath, invalid, required, tooLong } from "../../../shared/k8s/field.ts";
import { dns1123Subdomain, qualifiedName } from "../../../shared/k8s/names.ts";
import { each } from "../common/checks.ts";

const max = { parameters: 512, bytes: 256 * 1024, driverName: 63 };

export function validateProvisioner(name: string, at: FieldPath): FieldError[] {
  if (!name) return [required(at)];
  const lower = name.toLowerCase();
  return each(qualifiedName(lower), at, lower);
}

export function validateParameters(parameters: Readonly<Record<string, string>>, at: FieldPath): FieldError[] {
  const entries = Object.entries(parameters);
  if (entries.length > max.parameters) return [tooLong(at, max.parameters)];
  const errors = Object.hasOwn(parameters, "") ? [invalid(at, "", "field can not be empty.")] : [];
  const bytes = entries.reduce((sum, [key, value]) => sum + utf8Length(key) + utf8Length(value), 0);
  if (bytes > max.bytes) errors.push(tooLong(at, max.bytes));
  return errors;
}

export function validateCsiDriverName(name: string, at: FieldPath): FieldError[] {
  if (!name) return [required(at)];
  const errors = utf8Length(name) > max.driverName ? [tooLong(at, max.driverName)] : [];
  return [...errors, ...each(dns1123Subdomain(name.toLowerCase()), at, name)];
}
