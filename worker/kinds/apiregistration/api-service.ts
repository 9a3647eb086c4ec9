// The kind APIService of apiregistration.k8s.io: the server of a group version.
import type { APIService, APIServiceSpec } from "../../../shared/k8s/api/apiregistration-v1.ts";
import { type FieldError, invalid, notSupportedInOrder, path, required } from "../../../shared/k8s/field.ts";
import { dns1035Label, dns1123Subdomain, pathSegmentName, portNumber } from "../../../shared/k8s/names.ts";
import { rfc3339 } from "../../../shared/k8s/time.ts";
import { ageColumn, nameColumn } from "../common/printers.ts";
import { defineKind } from "../kind.ts";
import { each } from "../common/checks.ts";
import { statusAlone } from "../common/status-metadata.ts";

const defaultPort = 443;
const max = { groupPriority: 20_000, versionPriority: 1000 };
const at = path("spec");

export const apiServices = defineKind<APIService>("apiregistration.k8s.io", "v1", "apiservices", {
  validateName: pathSegmentName,
  allowUnconditionalUpdate: false,
  defaults({ spec }) {
    if (spec.service) spec.service.port ??= defaultPort;
  },
  prepareForCreate({ spec, status }, { nowMs }) {
    if (spec.service) return;
    const message = "Local APIServices are always available";
    const lastTransitionTime = rfc3339(nowMs);
    status.conditions = [{ type: "Available", status: "True", lastTransitionTime, reason: "Local", message }];
  },
  validate: ({ metadata, spec }) => [
    ...validateName(metadata.name ?? "", spec),
    ...validateVersion(spec),
    ...(spec.service ? validateRemote(spec) : validateLocal(spec)),
  ],
  /** The Service of the server. */
  indexValue: ({ spec: { service } }) => (service ? `${service.namespace ?? ""}/${service.name ?? ""}` : ""),
  ...statusAlone(({ status }) =>
    (status.conditions ?? []).flatMap((condition, index) => {
      const where = path("status", "conditions").index(index).child("status");
      const statuses = ["True", "False", "Unknown"];
      return statuses.includes(condition.status) ? [] : [notSupportedInOrder(where, condition.status, statuses)];
    }),
  ),
  columns: [
    nameColumn,
    {
      name: "Service",
      type: "string",
      description: "The service that answers, or Local for this server.",
      cell: ({ spec: { service } }) => (service ? `${service.namespace ?? ""}/${service.name ?? ""}` : "Local"),
    },
    { name: "Available", type: "string", description: "Whether it answers.", cell: available },
    ageColumn,
  ],
});

function available({ status }: APIService): string {
  const condition = status.conditions?.find(({ type }) => type === "Available");
  if (!condition) return "Unknown";
  const showsReason = condition.status !== "True" && condition.reason;
  return showsReason ? `${condition.status} (${condition.reason})` : condition.status;
}

function validateName(name: string, { group = "", version = "" }: APIServiceSpec): FieldError[] {
  const expectedName = `${version}.${group}`;
  if (name === expectedName || !name || pathSegmentName(name).length) return [];
  return [
    invalid(path("metadata", "name"), name, `must be \`spec.version+"."+spec.group\`: ${JSON.stringify(expectedName)}`),
  ];
}

function validateVersion({
  group = "",
  version = "",
  groupPriorityMinimum: groups,
  versionPriority: versions,
}: APIServiceSpec) {
  const errors: FieldError[] = [];
  if (group) errors.push(...each(dns1123Subdomain(group), at.child("group"), group));
  else if (version !== "v1") {
    errors.push(required(at.child("group"), "only v1 may have an empty group and it better be legacy kube"));
  }
  errors.push(...each(dns1035Label(version), at.child("version"), version));
  if (groups <= 0 || groups > max.groupPriority) {
    const why = `must be positive and less than ${max.groupPriority}`;
    errors.push(invalid(at.child("groupPriorityMinimum"), groups, why));
  }
  if (versions <= 0 || versions > max.versionPriority) {
    const why = `must be positive and less than ${max.versionPriority}`;
    errors.push(invalid(at.child("versionPriority"), versions, why));
  }
  return errors;
}

function validateLocal({ caBundle = "", insecureSkipTLSVerify: insecure }: APIServiceSpec): FieldError[] {
  const errors: FieldError[] = [];
  if (caBundle) {
    const bytes = `${atob(caBundle).length} bytes`;
    errors.push(invalid(at.child("caBundle"), bytes, "local APIServices may not have a caBundle"));
  }
  if (insecure) {
    const why = "local APIServices may not have insecureSkipTLSVerify";
    errors.push(invalid(at.child("insecureSkipTLSVerify"), insecure, why));
  }
  return errors;
}

function validateRemote({ service, caBundle, insecureSkipTLSVerify: insecure }: APIServiceSpec): FieldError[] {
  const where = at.child("service");
  const errors: FieldError[] = [];
  if (!service?.namespace) errors.push(required(where.child("namespace")));
  if (!service?.name) errors.push(required(where.child("name")));
  const port = service?.port ?? 0;
  const wrong = portNumber(port);
  if (wrong.length) errors.push(invalid(where.child("port"), port, `port is not valid: ${wrong.join(", ")}`));
  if (insecure && caBundle) {
    errors.push(invalid(at.child("insecureSkipTLSVerify"), insecure, "may not be true if caBundle is present"));
  }
  return errors;
}
