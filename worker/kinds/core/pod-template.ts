// The kind PodTemplate.
import type { PodTemplate } from "../../../shared/k8s/api/core-v1.ts";
import { semanticEqual } from "../../../shared/k8s/equal.ts";
import { path } from "../../../shared/k8s/field.ts";
import { formatLabels } from "../../../shared/k8s/selectors/labels.ts";
import { nameColumn } from "../common/printers.ts";
import { defineKind } from "../kind.ts";
import { dropDisabledOfTemplate } from "./pod/disabled-fields.ts";
import {
  containerImages,
  containerNames,
  defaultPodTemplate,
  podTemplateWarnings,
  validatePodTemplateSpec,
} from "./pod/template.ts";

export const podTemplates = defineKind<PodTemplate>("", "v1", "podtemplates", {
  deletion: { returnsObject: true },
  defaults: ({ template }) => defaultPodTemplate(template),
  prepareForCreate(draft, { features }) {
    dropDisabledOfTemplate(draft.template, undefined, features);
  },
  prepareForUpdate(draft, previous, { features }) {
    dropDisabledOfTemplate(draft.template, previous.template, features);
  },
  validate: ({ template }) => validatePodTemplateSpec(template, path("template")),
  warnings({ metadata, template }, previous) {
    if (previous && previous.metadata.generation === metadata.generation) return [];
    return podTemplateWarnings(template.spec, template.metadata, path("template"));
  },
  raisesGeneration: (next, previous) => !semanticEqual(next.template, previous.template),
  columns: [
    nameColumn,
    {
      name: "Containers",
      type: "string",
      description: "Names of the template's containers.",
      cell: ({ template }) => containerNames(template.spec),
    },
    {
      name: "Images",
      type: "string",
      description: "Images of the template's containers.",
      cell: ({ template }) => containerImages(template.spec),
    },
    {
      name: "Pod Labels",
      type: "string",
      description: "Labels of pods made from it.",
      cell: ({ template }) => formatLabels(template.metadata.labels),
    },
  ],
});
