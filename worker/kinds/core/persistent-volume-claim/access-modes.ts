// How a volume may be mounted: rules and the short form of tables.
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
  const others = modes.filter((mode) => mode !== "ReadWriteOncePod" && supported.includes(mode));
  if (modes.includes("ReadWriteOncePod") && others.length > 0) {
    errors.push(forbidden(at, "may not use ReadWriteOncePod with other access modes"));
  }
  return errors;
}

/** `RWO,RWX`: always in this order, each once. */
export function accessModesText(modes: readonly string[] = []): string {
  return supported
    .filter((mode) => modes.includes(mode))
    .map((mode) => shortForms[mode])
    .join(",");
}
