// Formats that nothing checks: who writes them is told, once.
import type { CustomResourceDefinitionSpec } from "../../../shared/k8s/api/apiextensions-v1.ts";
import { isKnownFormat } from "../../../shared/schema/structural/formats.ts";
import { someSchema } from "../../../shared/schema/structural/unsupported.ts";
import { internalSpec, schemasOf } from "./internal-spec.ts";

export function formatWarnings(
  next: CustomResourceDefinitionSpec,
  previous: CustomResourceDefinitionSpec | undefined,
): string[] {
  const before = new Set(previous ? unknownFormats(previous) : []);
  return unknownFormats(next)
    .filter((format) => !before.has(format))
    .map((format) => `unrecognized format ${JSON.stringify(format)}`);
}

function unknownFormats(spec: CustomResourceDefinitionSpec): string[] {
  const found: string[] = [];
  for (const schema of schemasOf(internalSpec(spec))) {
    someSchema(schema, ({ format, type = "" }) => {
      if (format && !isKnownFormat(format, type)) found.push(format);
      return false;
    });
  }
  return found;
}
