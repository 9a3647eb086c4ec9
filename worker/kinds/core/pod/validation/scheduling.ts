// Validates the scheduling fields: tolerations, affinities, spread constraints, scheduling gates.
import type {
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PodSchedulingGate,
  PodSpec,
  Toleration,
  TopologySpreadConstraint,
  Affinity,
  PodAffinityTerm,
} from "../../../../../shared/k8s/api/core-v1.ts";
import {
  type FieldError,
  type FieldPath,
  duplicate,
  forbidden,
  invalid,
  notSupportedInOrder,
  required,
} from "../../../../../shared/k8s/field.ts";
import { dns1123Subdomain, labelValue, qualifiedName, dns1123Label } from "../../../../../shared/k8s/names.ts";
import { each, oneOf, validateLabelSelectorValues } from "../../../common/checks.ts";
import { repeatsOf } from "../../../../../shared/k8s/repeats.ts";

export function validateTolerations(tolerations: readonly Toleration[], path: FieldPath): FieldError[] {
  return tolerations.flatMap((toleration, index) => validateToleration(toleration, path.index(index)));
}

export function validateTaintEffect(effect: string, path: FieldPath): FieldError[] {
  const effects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];
  return effects.includes(effect) ? [] : [notSupportedInOrder(path, effect, effects)];
}

export function validateSchedulingGates(gates: readonly PodSchedulingGate[], path: FieldPath): FieldError[] {
  const repeats = repeatsOf(gates, ({ name }) => name);
  return gates.flatMap(({ name }, index) => {
    const at = path.index(index);
    return [...each(qualifiedName(name), at, name), ...(repeats[index] ? [duplicate(at, name)] : [])];
  });
}

export function validateAffinity({ affinity }: PodSpec, path: FieldPath): FieldError[] {
  if (!affinity) return [];
  const node = affinity.nodeAffinity;
  const at = path.child("nodeAffinity");
  const hard = node?.requiredDuringSchedulingIgnoredDuringExecution;
  const hardAt = at.child("requiredDuringSchedulingIgnoredDuringExecution");
  const softAt = at.child("preferredDuringSchedulingIgnoredDuringExecution");
  const errors = hard ? validateNodeSelectorTerms(hard.nodeSelectorTerms, hardAt.child("nodeSelectorTerms")) : [];
  for (const [index, term] of (node?.preferredDuringSchedulingIgnoredDuringExecution ?? []).entries()) {
    const termAt = softAt.index(index);
    if (term.weight <= 0 || term.weight > 100) {
      errors.push(invalid(termAt.child("weight"), term.weight, "must be in the range 1-100"));
    }
    errors.push(...validateNodeSelectorTerm(term.preference, { checksValues: false }, termAt.child("preference")));
  }
  return [...errors, ...validatePodAffinities(affinity, path)];
}

export function validateNodeSelectorTerms(terms: readonly NodeSelectorTerm[], path: FieldPath): FieldError[] {
  if (terms.length === 0) return [required(path, "must have at least one node selector term")];
  return terms.flatMap((term, index) => validateNodeSelectorTerm(term, { checksValues: true }, path.index(index)));
}

export function validateSpreadConstraints(
  constraints: readonly TopologySpreadConstraint[],
  path: FieldPath,
): FieldError[] {
  const pairOf = (constraint: TopologySpreadConstraint) =>
    JSON.stringify([constraint.topologyKey, constraint.whenUnsatisfiable]);
  // Upstream compares each with the following ones.
  const repeats = repeatsOf([...constraints].reverse(), pairOf).toReversed();
  return constraints.flatMap((constraint, index) => {
    const at = path.index(index);
    const { maxSkew, topologyKey, whenUnsatisfiable, minDomains, nodeAffinityPolicy, nodeTaintsPolicy } = constraint;
    const errors: FieldError[] = [];
    if (maxSkew <= 0) errors.push(invalid(at.child("maxSkew"), maxSkew, "must be greater than zero"));
    if (!topologyKey) errors.push(required(at.child("topologyKey"), "can not be empty"));
    errors.push(...oneOf(whenUnsatisfiable, at.child("whenUnsatisfiable"), ["DoNotSchedule", "ScheduleAnyway"]));
    if (repeats[index]) {
      const pair = at.child("{topologyKey, whenUnsatisfiable}");
      errors.push(duplicate(pair, `{${topologyKey}, ${whenUnsatisfiable}}`));
    }
    errors.push(...validateMinDomains(minDomains, whenUnsatisfiable, at.child("minDomains")));
    const policies = ["Honor", "Ignore"];
    if (nodeAffinityPolicy !== undefined)
      errors.push(...oneOf(nodeAffinityPolicy, at.child("nodeAffinityPolicy"), policies));
    if (nodeTaintsPolicy !== undefined) errors.push(...oneOf(nodeTaintsPolicy, at.child("nodeTaintsPolicy"), policies));
    errors.push(...validateSpreadLabelKeys(constraint, at.child("matchLabelKeys")));
    errors.push(...validateLabelSelectorValues(constraint.labelSelector, at.child("labelSelector")));
    return errors;
  });
}

function validateToleration(toleration: Toleration, at: FieldPath): FieldError[] {
  const { key = "", operator = "", value = "", effect = "", tolerationSeconds } = toleration;
  const errors = key ? each(qualifiedName(key), at.child("key"), key) : [];
  const operatorAt = at.child("operator");
  if (!key && operator !== "Exists") {
    const detail = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
    errors.push(invalid(operatorAt, operator, detail));
  }
  if (tolerationSeconds !== undefined && effect !== "NoExecute") {
    const detail = "effect must be 'NoExecute' when `tolerationSeconds` is set";
    errors.push(invalid(at.child("effect"), effect, detail));
  }
  if (operator === "Exists") {
    if (value) errors.push(invalid(operatorAt, value, "value must be empty when `operator` is 'Exists'"));
  } else if (operator === "" || operator === "Equal") {
    const wrong = labelValue(value);
    if (wrong.length) errors.push(invalid(operatorAt, value, wrong.join(";")));
  } else {
    // These two operators are known, but off by default.
    const isOff = operator === "Lt" || operator === "Gt";
    errors.push(notSupportedInOrder(operatorAt, operator, ["Equal", "Exists", ...(isOff ? ["Lt", "Gt"] : [])]));
  }
  return [...errors, ...(effect ? validateTaintEffect(effect, at.child("effect")) : [])];
}

function validateNodeSelectorTerm(
  term: NodeSelectorTerm,
  { checksValues }: { readonly checksValues: boolean },
  path: FieldPath,
): FieldError[] {
  const expressions = path.child("matchExpressions");
  const fields = path.child("matchFields");
  return [
    ...(term.matchExpressions ?? []).flatMap((expression, at) =>
      validateNodeLabel(expression, checksValues, expressions.index(at)),
    ),
    ...(term.matchFields ?? []).flatMap((field, at) => validateNodeField(field, fields.index(at))),
  ];
}

function validateNodeLabel(requirement: NodeSelectorRequirement, checksValues: boolean, path: FieldPath): FieldError[] {
  const { key, operator, values = [] } = requirement;
  const at = path.child("values");
  const errors: FieldError[] = [];
  if (operator === "In" || operator === "NotIn") {
    const detail = "must be specified when `operator` is 'In' or 'NotIn'";
    if (values.length === 0) errors.push(required(at, detail));
  } else if (operator === "Exists" || operator === "DoesNotExist") {
    const detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
    if (values.length > 0) errors.push(forbidden(at, detail));
  } else if (operator === "Gt" || operator === "Lt") {
    const detail = "must be specified single value when `operator` is 'Lt' or 'Gt'";
    if (values.length !== 1) errors.push(required(at, detail));
  } else {
    errors.push(invalid(path.child("operator"), operator, "not a valid selector operator"));
  }
  errors.push(...each(qualifiedName(key), path.child("key"), key));
  if (!checksValues) return errors;
  return [...errors, ...values.flatMap((value, index) => each(labelValue(value), at.index(index), value))];
}

function validateNodeField({ key, operator, values = [] }: NodeSelectorRequirement, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if (operator !== "In" && operator !== "NotIn") {
    errors.push(invalid(path.child("operator"), operator, "not a valid selector operator"));
  } else if (values.length !== 1) {
    const detail = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
    errors.push(required(path.child("values"), detail));
  }
  if (key !== "metadata.name") {
    return [...errors, invalid(path.child("key"), key, "not a valid field selector key")];
  }
  const at = path.child("values");
  return [...errors, ...values.flatMap((value, index) => each(dns1123Subdomain(value), at.index(index), value))];
}

function validateMinDomains(minDomains: number | undefined, action: string, path: FieldPath): FieldError[] {
  if (minDomains === undefined) return [];
  const errors: FieldError[] = [];
  if (minDomains <= 0) errors.push(invalid(path, minDomains, "must be greater than zero"));
  if (action !== "DoNotSchedule") {
    const detail = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`;
    errors.push(invalid(path, minDomains, detail));
  }
  return errors;
}

/** Validates a merged label key: the selector may contain it once, as the merge on creation adds it. */
function validateSpreadLabelKeys(constraint: TopologySpreadConstraint, path: FieldPath): FieldError[] {
  const { matchLabelKeys = [], labelSelector } = constraint;
  if (matchLabelKeys.length === 0) return [];
  if (!labelSelector) return [forbidden(path, "must not be specified when labelSelector is not set")];
  return matchLabelKeys.flatMap((key, index) => {
    const inLabels = Object.hasOwn(labelSelector.matchLabels ?? {}, key) ? 1 : 0;
    const times =
      inLabels + (labelSelector.matchExpressions ?? []).filter((expression) => expression.key === key).length;
    const clash = times > 1 ? [invalid(path.index(index), key, "exists in both matchLabelKeys and labelSelector")] : [];
    return [...each(qualifiedName(key), path.index(index), key), ...clash];
  });
}

function validatePodAffinities(affinity: Affinity, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  for (const name of ["podAffinity", "podAntiAffinity"] as const) {
    const at = path.child(name);
    const hard = affinity[name]?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
    for (const [index, term] of hard.entries()) {
      const termAt = at.child("requiredDuringSchedulingIgnoredDuringExecution").index(index);
      errors.push(...validateTerm(term, termAt));
    }
    const soft = affinity[name]?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
    for (const [index, { weight, podAffinityTerm }] of soft.entries()) {
      const termAt = at.child("preferredDuringSchedulingIgnoredDuringExecution").index(index);
      if (weight <= 0 || weight > 100) {
        errors.push(invalid(termAt.child("weight"), weight, "must be in the range 1-100"));
      }
      errors.push(...validateTerm(podAffinityTerm, termAt.child("podAffinityTerm")));
    }
  }
  return errors;
}

function validateTerm(term: PodAffinityTerm, path: FieldPath): FieldError[] {
  const { labelSelector, namespaceSelector, namespaces = [], topologyKey } = term;
  return [
    ...validateLabelSelectorValues(labelSelector, path.child("labelSelector")),
    ...validateLabelSelectorValues(namespaceSelector, path.child("namespaceSelector")),
    ...namespaces.flatMap((name) => each(dns1123Label(name), path.child("namespace"), name)),
    ...validateLabelKeys(term, path),
    ...(topologyKey ? [] : [required(path.child("topologyKey"), "can not be empty")]),
    ...each(qualifiedName(topologyKey), path.child("topologyKey"), topologyKey),
  ];
}

function validateLabelKeys(term: PodAffinityTerm, path: FieldPath): FieldError[] {
  const { labelSelector, matchLabelKeys = [], mismatchLabelKeys = [] } = term;
  const errors: FieldError[] = [];
  for (const field of ["matchLabelKeys", "mismatchLabelKeys"] as const) {
    const keys = term[field] ?? [];
    if (keys.length > 0 && !labelSelector) {
      errors.push(forbidden(path.child(field), "must not be specified when labelSelector is not set"));
    } else {
      errors.push(...keys.flatMap((key, at) => each(qualifiedName(key), path.child(field).index(at), key)));
    }
  }
  const keys = new Set(Object.keys(labelSelector?.matchLabels ?? {}));
  for (const { key } of labelSelector?.matchExpressions ?? []) {
    if (matchLabelKeys.includes(key) && keys.has(key)) {
      const at = path.index(matchLabelKeys.lastIndexOf(key));
      errors.push(invalid(at, key, "exists in both matchLabelKeys and labelSelector"));
    }
    keys.add(key);
  }
  for (const [index, key] of matchLabelKeys.entries()) {
    if (!mismatchLabelKeys.includes(key)) continue;
    const at = path.child("matchLabelKeys").index(index);
    errors.push(invalid(at, key, "exists in both matchLabelKeys and mismatchLabelKeys"));
  }
  return errors;
}
