// The wide columns of everything that holds a pod template.
import type { PodSpec } from "../../../shared/k8s/api/core-v1.ts";
import type { Column } from "../kind.ts";
import { containerImages, containerNames } from "../core/pod/template.ts";

/** `specOf` gives the template's pod spec, if there is one. */
export function templateColumns<T>(specOf: (object: T) => PodSpec | undefined): readonly [Column<T>, Column<T>] {
  const without: PodSpec = { containers: [] };
  return [
    {
      name: "Containers",
      type: "string",
      priority: 1,
      description: "Names of the template's containers.",
      cell: (object) => containerNames(specOf(object) ?? without),
    },
    {
      name: "Images",
      type: "string",
      priority: 1,
      description: "Images of the template's containers.",
      cell: (object) => containerImages(specOf(object) ?? without),
    },
  ];
}
