// The kind CertificateSigningRequest of certificates.k8s.io. The server sets the requester; approvers write `approval`.
import type { UserInfo } from "../../../shared/k8s/authorizer.ts";
import type { CertificateSigningRequest } from "../../../shared/k8s/api/certificates-v1.ts";
import { pathSegmentName } from "../../../shared/k8s/names.ts";
import { humanDuration, rfc3339 } from "../../../shared/k8s/time.ts";
import { validateApproval, validateCsr, validateStatusWrite } from "./validation.ts";
import { ageColumn, nameColumn } from "../common/printers.ts";
import { defineKind } from "../kind.ts";

type Csr = CertificateSigningRequest;

export const certificateSigningRequests = defineKind<Csr>("certificates.k8s.io", "v1", "certificatesigningrequests", {
  validateUpdate: (_next, _previous, check) => [
    ...check.objectMeta(),
    ...check.validate(),
    ...check.objectMetaUpdate(),
  ],
  validateName: pathSegmentName,
  prepareForCreate(draft, { user }) {
    const { request, signerName, expirationSeconds, usages } = draft.spec;
    draft.spec = {
      request,
      signerName,
      ...(expirationSeconds === undefined ? {} : { expirationSeconds }),
      ...(usages ? { usages } : {}),
      ...requester(user),
    };
  },
  prepareForUpdate(draft, previous) {
    draft.spec = previous.spec;
  },
  validate: validateCsr,
  selectableFields: ({ spec }) => ({ "spec.signerName": spec.signerName }),
  resetFields: {
    "": ["spec", "status"],
    status: ["spec", "status.conditions"],
    approval: ["spec", "status.certificate"],
  },
  subresourceStrategies: {
    status: {
      prepareForUpdate(draft, previous, { nowMs }) {
        draft.spec = previous.spec;
        for (const type of ["Approved", "Denied"]) keepConditions(draft, previous, type);
        fillTimes(draft, previous, nowMs);
      },
      validateUpdate: validateStatusWrite,
    },
    approval: {
      prepareForUpdate(draft, previous, { nowMs }) {
        fillTimes(draft, previous, nowMs);
        const { conditions } = draft.status;
        draft.spec = previous.spec;
        draft.status = { ...previous.status, ...(conditions ? { conditions } : {}) };
        if (!conditions) delete draft.status.conditions;
      },
      validateUpdate: validateApproval,
    },
  },
  columns: [
    nameColumn,
    ageColumn,
    {
      name: "SignerName",
      type: "string",
      description: "Who shall sign.",
      cell: ({ spec }) => spec.signerName || "<none>",
    },
    { name: "Requestor", type: "string", description: "Who asks.", cell: ({ spec }) => spec.username ?? "" },
    {
      name: "RequestedDuration",
      type: "string",
      description: "For how long the certificate shall be good.",
      cell: ({ spec: { expirationSeconds: requestedSeconds } }) =>
        requestedSeconds === undefined ? "<none>" : humanDuration(requestedSeconds * 1000),
    },
    { name: "Condition", type: "string", description: "What has been decided and done.", cell: stateOf },
  ],
});

function requester({ name, uid, groups, extra }: UserInfo): Partial<Csr["spec"]> {
  const copied = Object.entries(extra ?? {}).map(([key, values]): [string, string[]] => [key, [...values]]);
  return {
    username: name,
    ...(uid ? { uid } : {}),
    groups: [...groups],
    ...(copied.length ? { extra: Object.fromEntries(copied) } : {}),
  };
}

/** Restores the conditions of a type, unless their number changed, which validation rejects. */
function keepConditions(draft: Csr, previous: Csr, type: string): void {
  const old = (previous.status.conditions ?? []).filter((condition) => condition.type === type);
  const next = draft.status.conditions ?? [];
  if (next.filter((condition) => condition.type === type).length !== old.length) return;
  let at = 0;
  if (old.length)
    draft.status.conditions = next.map((condition) => (condition.type === type ? (old[at++] ?? condition) : condition));
}

function fillTimes(draft: Csr, previous: Csr, nowMs: number): void {
  const now = rfc3339(nowMs);
  const conditions = draft.status.conditions?.map((condition) => {
    const { type, status, lastUpdateTime, lastTransitionTime } = condition;
    const old = previous.status.conditions?.find(
      (candidate) => candidate.type === type && candidate.status === status && candidate.lastTransitionTime,
    );
    return {
      ...condition,
      lastUpdateTime: lastUpdateTime ?? now,
      lastTransitionTime: lastTransitionTime ?? old?.lastTransitionTime ?? now,
    };
  });
  if (conditions) draft.status.conditions = conditions;
}

function stateOf({ status }: Csr): string {
  const has = (type: string) => (status.conditions ?? []).some((condition) => condition.type === type);
  const decision = has("Denied") ? "Denied" : has("Approved") ? "Approved" : "Pending";
  return [decision, ...(has("Failed") ? ["Failed"] : []), ...(status.certificate ? ["Issued"] : [])].join(",");
}
