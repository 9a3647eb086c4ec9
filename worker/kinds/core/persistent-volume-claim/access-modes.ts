// Validates access modes, and prints their short form.
import { type FieldError, type FieldPath, forbidden, notSupported } from "../../../../shared/k8s/field.ts";

const shortForms: Readonly<Record<string, string>> = {
  ReadWriteOnce: "RWO",
  ReadOnlyMany: "ROX",
  ReadWriteMany: "RWX",
  ReadWriteOncePod: "RWOP",
};
const supported = Object.keys(shortForms);

export function validateAccessModes(modes: readonly string[], at: FieldPath): FieldError[] {
  const errors = modes.filter((mode) => !supported.includes(mode)).map((mode) => notSupported(at, mode, supported));
  const otherModes = modes.filter((mode) => mode !== "ReadWriteOncePod" && supported.includes(mode));
  if (modes.includes("ReadWriteOncePod") && otherModes.length > 0) {
    errors.push(forbidden(at, "may not use ReadWriteOncePod with other access modes"));
  }
  return errors;
}

/** Returns `RWO,RWX`: in a fixed order without duplicates. */
export function accessModesText(modes: readonly string[] = []): string {
  return supported
    .filter((mode) => modes.includes(mode))
    .map((mode) => shortForms[mode])
    .join(",");
}
