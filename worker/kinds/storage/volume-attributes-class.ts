// The kind VolumeAttributesClass of storage.k8s.io.
import type { VolumeAttributesClass } from "../../../shared/k8s/api/storage-v1.ts";
import { semanticEqual } from "../../../shared/k8s/equal.ts";
import { forbidden, path, required } from "../../../shared/k8s/field.ts";
import { ageColumn, nameColumn } from "../common/printers.ts";
import { defineKind } from "../kind.ts";
import { validateParameters, validateProvisioner } from "./parameters.ts";

export const volumeAttributesClasses = defineKind<VolumeAttributesClass>(
  "storage.k8s.io",
  "v1",
  "volumeattributesclasses",
  {
    deletion: { returnsObject: true },
    validate({ driverName, parameters = {} }) {
      const at = path("parameters");
      const isEmpty = Object.keys(parameters).length === 0;
      return [
        ...validateProvisioner(driverName, path("driverName")),
        ...validateParameters(parameters, at),
        ...(isEmpty ? [required(at, "must contain at least one key/value pair")] : []),
      ];
    },
    validateUpdate: (next, previous, check) => [
      ...check.objectMetaUpdate(),
      ...(next.driverName === previous.driverName
        ? []
        : [forbidden(path("driverName"), "updates to driverName are forbidden.")]),
      ...(semanticEqual(next.parameters, previous.parameters)
        ? []
        : [forbidden(path("parameters"), "updates to parameters are forbidden.")]),
      ...check.objectMeta(),
      ...check.validate(),
    ],
    columns: [
      nameColumn,
      {
        name: "DriverName",
        type: "string",
        description: "The driver that knows the attributes.",
        cell: ({ driverName }) => driverName,
      },
      ageColumn,
    ],
  },
);
