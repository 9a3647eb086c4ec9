// The kind NetworkPolicy of networking.k8s.io.
import { contains, parseCidr } from "../../../shared/k8s/ip.ts";
import type {
  NetworkPolicy,
  IPBlock,
  NetworkPolicyPeer,
  NetworkPolicyPort,
  NetworkPolicySpec,
} from "../../../shared/k8s/api/networking-v1.ts";
import { semanticEqual } from "../../../shared/k8s/equal.ts";
import { holdsGivenEmpty } from "../../../shared/schema/given-empty.ts";
import { formatLabelSelector } from "../../../shared/k8s/selectors/labels.ts";
import { ageColumn, nameColumn } from "../common/printers.ts";
import { defineKind } from "../kind.ts";
import {
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  notSupportedInOrder,
  path,
  required,
} from "../../../shared/k8s/field.ts";
import { portName, portNumber } from "../../../shared/k8s/names.ts";
import { getWarningsForCidr, validateCidrForLegacyField } from "../common/ip-validation.ts";
import { each, validateLabelSelectorValues } from "../common/checks.ts";

const protocols = ["TCP", "UDP", "SCTP"];
const policyTypes = ["Ingress", "Egress"];
interface Rule {
  readonly ports: readonly NetworkPolicyPort[];
  readonly peers: readonly { readonly peer: NetworkPolicyPeer; readonly at: FieldPath }[];
  readonly where: FieldPath;
}

export const networkPolicies = defineKind<NetworkPolicy>("networking.k8s.io", "v1", "networkpolicies", {
  defaults({ spec }) {
    for (const { ports = [] } of [...(spec.ingress ?? []), ...(spec.egress ?? [])]) {
      for (const port of ports) port.protocol ??= "TCP";
    }
    if (!spec.policyTypes?.length) spec.policyTypes = spec.egress?.length ? ["Ingress", "Egress"] : ["Ingress"];
  },
  // Upstream distinguishes an empty list from none; storage does not.
  raisesGeneration: (next, previous) => holdsGivenEmpty(next.spec) || !semanticEqual(next.spec, previous.spec),
  validate: ({ spec }) => validateNetworkPolicySpec(spec),
  warnings: ({ spec }) => networkPolicyWarnings(spec),
  columns: [
    nameColumn,
    {
      name: "Pod-Selector",
      type: "string",
      description: "Labels of the pods that the policy is for.",
      cell: ({ spec }) => formatLabelSelector(spec.podSelector),
    },
    ageColumn,
  ],
});

function validateNetworkPolicySpec(spec: NetworkPolicySpec): FieldError[] {
  const at = path("spec");
  const errors = validateLabelSelectorValues(spec.podSelector, at.child("podSelector"));
  for (const { ports, peers, where } of rulesOf(spec)) {
    ports.forEach((policyPort, index) => errors.push(...validatePort(policyPort, where.child("ports").index(index))));
    for (const { peer, at: peerAt } of peers) errors.push(...validatePeer(peer, peerAt));
  }
  const types = spec.policyTypes ?? [];
  if (types.length > policyTypes.length) {
    return [...errors, invalid(at.child("policyTypes"), types, "may not specify more than two policyTypes")];
  }
  types.forEach((type, index) => {
    const typeAt = at.child("policyTypes").index(index);
    if (!policyTypes.includes(type)) errors.push(notSupportedInOrder(typeAt, type, policyTypes));
  });
  return errors;
}

function networkPolicyWarnings(spec: NetworkPolicySpec): string[] {
  const blocks = rulesOf(spec).flatMap(({ peers }) => peers);
  return blocks.flatMap(({ peer: { ipBlock }, at }) => {
    if (!ipBlock) return [];
    const where = at.child("ipBlock");
    const except = (ipBlock.except ?? []).flatMap((cidr, index) =>
      getWarningsForCidr(cidr, where.child("except").index(index)),
    );
    return [...getWarningsForCidr(ipBlock.cidr, where.child("cidr")), ...except];
  });
}

/** Returns the rules of both directions in one form. */
function rulesOf({ ingress = [], egress = [] }: NetworkPolicySpec): Rule[] {
  const rule = (
    ports: readonly NetworkPolicyPort[],
    peers: readonly NetworkPolicyPeer[],
    where: FieldPath,
    side: string,
  ) => ({
    ports,
    peers: peers.map((peer, index) => ({ peer, at: where.child(side).index(index) })),
    where,
  });
  const at = path("spec");
  return [
    ...ingress.map(({ ports = [], from = [] }, index) => rule(ports, from, at.child("ingress").index(index), "from")),
    ...egress.map(({ ports = [], to = [] }, index) => rule(ports, to, at.child("egress").index(index), "to")),
  ];
}

function validatePort({ protocol, port, endPort }: NetworkPolicyPort, at: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if (protocol !== undefined && !protocols.includes(protocol)) {
    errors.push(notSupportedInOrder(at.child("protocol"), protocol, protocols));
  }
  const end = at.child("endPort");
  if (port === undefined) {
    if (endPort !== undefined) errors.push(invalid(end, endPort, "may not be specified when `port` is not specified"));
  } else if (typeof port === "string") {
    if (endPort !== undefined) errors.push(invalid(end, endPort, "may not be specified when `port` is non-numeric"));
    errors.push(...each(portName(port), at.child("port"), port));
  } else {
    errors.push(...each(portNumber(port), at.child("port"), port));
    if (endPort === undefined) return errors;
    // Upstream prints the port here, not the end.
    if (endPort < port) errors.push(invalid(end, port, "must be greater than or equal to `port`"));
    errors.push(...each(portNumber(endPort), end, endPort));
  }
  return errors;
}

function validatePeer({ podSelector, namespaceSelector, ipBlock }: NetworkPolicyPeer, at: FieldPath): FieldError[] {
  const errors = [
    ...validateLabelSelectorValues(podSelector, at.child("podSelector")),
    ...validateLabelSelectorValues(namespaceSelector, at.child("namespaceSelector")),
    ...(ipBlock ? validateBlock(ipBlock, at.child("ipBlock")) : []),
  ];
  const hasSelector = podSelector !== undefined || namespaceSelector !== undefined;
  if (!hasSelector && !ipBlock) errors.push(required(at, "must specify a peer"));
  if (hasSelector && ipBlock) errors.push(forbidden(at, "may not specify both ipBlock and another peer"));
  return errors;
}

function validateBlock({ cidr, except = [] }: IPBlock, at: FieldPath): FieldError[] {
  if (!cidr) return [required(at.child("cidr"))];
  const errors = validateCidrForLegacyField(cidr, at.child("cidr"));
  const outer = parseCidr(cidr);
  if (!outer) return errors;
  except.forEach((text, index) => {
    const where = at.child("except").index(index);
    errors.push(...validateCidrForLegacyField(text, where));
    const inner = parseCidr(text);
    if (inner && (!contains(outer, inner.bytes) || outer.bits >= inner.bits)) {
      errors.push(invalid(where, text, "must be a strict subset of `cidr`"));
    }
  });
  return errors;
}
