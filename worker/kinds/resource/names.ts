// Validates names of drivers, pools, devices, attributes and requests.
import { utf8Length } from "../../../shared/base/utf8.ts";
import { type FieldError, type FieldPath, invalid, required, tooLong, tooMany } from "../../../shared/k8s/field.ts";
import { cIdentifier, dns1123Label, dns1123Subdomain } from "../../../shared/k8s/names.ts";
import { each } from "../common/checks.ts";
import { validateCsiDriverName } from "../storage/parameters.ts";

const max = { poolBytes: 253, idBytes: 32 };

export function validateLabel(name: string, at: FieldPath): FieldError[] {
  return each(dns1123Label(name), at, name);
}

/** Validates subdomains separated by slashes. */
export function validatePoolName(name: string, at: FieldPath): FieldError[] {
  if (!name) return [required(at)];
  const errors = utf8Length(name) > max.poolBytes ? [tooLong(at, max.poolBytes)] : [];
  return [...errors, ...name.split("/").flatMap((segment) => each(dns1123Subdomain(segment), at, segment))];
}

/** Validates an identifier with an optional domain. */
export function validateQualifiedName(name: string, at: FieldPath): FieldError[] {
  const [first = "", second, ...more] = name.split("/");
  if (more.length) return [];
  if (second === undefined) return validateIdentifier(first, at);
  return [
    ...(first ? validateCsiDriverName(first, at) : [invalid(at, "", "the domain must not be empty")]),
    ...(second ? validateIdentifier(second, at) : [invalid(at, "", "the name must not be empty")]),
  ];
}

export function validateFullyQualifiedName(name: string, at: FieldPath): FieldError[] {
  const errors = validateQualifiedName(name, at);
  if (name.includes("/")) return errors;
  return [...errors, invalid(at, name, "a fully qualified name must be a domain and a name separated by a slash")];
}

/** Validates a list. If it is too long, that is the only error. */
export function validateSlice<T>(
  items: readonly T[],
  limit: number,
  at: FieldPath,
  check: (item: T, at: FieldPath) => FieldError[],
): FieldError[] {
  if (items.length > limit) return [tooMany(at, items.length, limit)];
  return items.flatMap((item, index) => check(item, at.index(index)));
}

/** Validates a UUID of RFC 4122 in lower case. */
export function validateUid(uid: string, at: FieldPath): FieldError[] {
  const plain = uid.replaceAll("-", "").toLowerCase();
  const isUuid = [32, 36].includes(uid.length) && /^[0-9a-f]{32}$/.test(plain);
  if (!isUuid)
    return [
      invalid(at, uid, `error validating uid: invalid UUID ${uid.length === 36 ? "format" : `length: ${uid.length}`}`),
    ];
  if (uid.length === 36 && uid === uid.toLowerCase()) return [];
  const form = "`xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal characters";
  return [invalid(at, uid, `uid must be in RFC 4122 normalized form, ${form}`)];
}

function validateIdentifier(id: string, at: FieldPath): FieldError[] {
  const errors = utf8Length(id) > max.idBytes ? [tooLong(at, max.idBytes)] : [];
  return [...errors, ...each(cIdentifier(id), at, id)];
}
