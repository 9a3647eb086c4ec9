// What a PersistentVolume on iSCSI must be.
import type { ISCSIPersistentVolumeSource } from "../../../shared/k8s/api/core-v1.ts";
import { utf8Length } from "../../../shared/base/utf8.ts";
import { type FieldError, type FieldPath, invalid, required } from "../../../shared/k8s/field.ts";
import { inRange } from "../../../shared/k8s/names.ts";
import { each, needs } from "../pods/checks.ts";

const forms: Readonly<Record<string, RegExp>> = {
  iqn: /iqn\.\d{4}-\d{2}\.([A-Za-z0-9\-.]+)(:[^,;*&$|\s]+)$/,
  eui: /^eui.[A-Za-z0-9]{16}$/,
  naa: /^naa.[A-Za-z0-9]{32}$/,
};

export function validateIscsi(iscsi: ISCSIPersistentVolumeSource, name: string, path: FieldPath): FieldError[] {
  const { targetPortal, iqn, initiatorName, lun, secretRef } = iscsi;
  const errors = needs(targetPortal, path.child("targetPortal"));
  if (initiatorName !== undefined && utf8Length(`${name}:${targetPortal}`) > 64) {
    const why =
      "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.";
    errors.push(invalid(path.child("targetportal"), targetPortal, why));
  }
  errors.push(...(iqn ? validateForm(iqn, path.child("iqn")) : [required(path.child("iqn"))]));
  errors.push(...each(inRange(lun, 0, 255), path.child("lun"), lun));
  if ((iscsi.chapAuthDiscovery || iscsi.chapAuthSession) && !secretRef) errors.push(required(path.child("secretRef")));
  if (secretRef) errors.push(...needs(secretRef.name, path.child("secretRef", "name")));
  if (initiatorName !== undefined) errors.push(...validateForm(initiatorName, path.child("initiatorname")));
  return errors;
}

function validateForm(value: string, at: FieldPath): FieldError[] {
  const form = forms[value.slice(0, 3)];
  return form?.test(value) ? [] : [invalid(at, value, "must be valid format")];
}
