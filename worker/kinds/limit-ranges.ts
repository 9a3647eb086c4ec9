// The kind LimitRange.
import type { LimitRange } from "../../shared/k8s/api/core-v1.ts";
import { createdAtColumn, nameColumn } from "./columns.ts";
import { defineKind } from "./kind.ts";
import { defaultLimits, validateLimits } from "./resources/limits.ts";

export const limitRanges = defineKind<LimitRange>("", "v1", "limitranges", {
  createsOnUpdate: true,
  defaults({ spec }) {
    for (const item of spec.limits) defaultLimits(item);
  },
  prepareForCreate({ metadata }, { random }) {
    metadata.name ||= random.uuid();
  },
  updateChecks: ["metadata", "own"],
  validate: ({ spec }) => validateLimits(spec.limits),
  columns: [nameColumn, createdAtColumn],
});
