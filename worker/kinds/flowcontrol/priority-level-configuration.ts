// The kind PriorityLevelConfiguration of flowcontrol.apiserver.k8s.io.
import type {
  ExemptPriorityLevelConfiguration,
  LimitResponse,
  LimitedPriorityLevelConfiguration,
  PriorityLevelConfiguration,
  QueuingConfiguration,
} from "../../../shared/k8s/api/flowcontrol-v1.ts";
import { semanticEqual } from "../../../shared/k8s/equal.ts";
import {
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  notSupported,
  path,
  required,
} from "../../../shared/k8s/field.ts";
import { ageColumn, nameColumn } from "../common/printers.ts";
import { mandatoryPriorityLevels } from "./mandatory.ts";
import { validateFlowStatus } from "./flow-schema.ts";
import { internalForm } from "../common/go-struct.ts";
import { type Column, defineKind } from "../kind.ts";
import { statusAlone } from "../common/status-metadata.ts";

type Level = PriorityLevelConfiguration;

const zeroSharesAnnotation = "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares";
const specType = "io.k8s.api.flowcontrol.v1.PriorityLevelConfigurationSpec";
const maxQueues = 10_000_000;
const maxHashBits = 60;
const defaults = { shares: 30, queues: 64, handSize: 8, queueLengthLimit: 50 };

export const priorityLevelConfigurations = defineKind<Level>(
  "flowcontrol.apiserver.k8s.io",
  "v1",
  "prioritylevelconfigurations",
  {
    validateUpdate: (_next, _previous, check) => [...check.objectMeta(), ...check.validate()],
    defaults: ({ spec: { exempt, limited } }) => {
      if (exempt) {
        exempt.nominalConcurrencyShares ??= 0;
        exempt.lendablePercent ??= 0;
      }
      if (!limited) return;
      limited.nominalConcurrencyShares ??= defaults.shares;
      limited.lendablePercent ??= 0;
      const { queuing } = limited.limitResponse;
      if (!queuing) return;
      queuing.handSize ||= defaults.handSize;
      queuing.queues ||= defaults.queues;
      queuing.queueLengthLimit ||= defaults.queueLengthLimit;
    },
    raisesGeneration: (next, previous) => !semanticEqual(next.spec, previous.spec),
    validate: (level) => [
      ...(level.metadata.annotations?.[zeroSharesAnnotation] === undefined
        ? []
        : [forbidden(path("metadata", "annotations"), `annotation '${zeroSharesAnnotation}' is forbidden`)]),
      ...validateSpec(level, path("spec")),
      ...validateFixed(level),
      ...validateFlowStatus(level),
    ],
    ...statusAlone<PriorityLevelConfiguration>(validateFlowStatus),
    columns: [
      nameColumn,
      { name: "Type", type: "string", description: "Whether requests are limited.", cell: ({ spec }) => spec.type },
      limit(
        "NominalConcurrencyShares",
        "The level's part of what is done at once.",
        (limited) => limited.nominalConcurrencyShares,
      ),
      limit("Queues", "How many queues there are.", (limited) => limited.limitResponse.queuing?.queues),
      limit("HandSize", "How many queues one flow may use.", (limited) => limited.limitResponse.queuing?.handSize),
      limit(
        "QueueLengthLimit",
        "How long a queue may be.",
        (limited) => limited.limitResponse.queuing?.queueLengthLimit,
      ),
      ageColumn,
    ],
  },
);

function limit(
  name: string,
  description: string,
  read: (limited: LimitedPriorityLevelConfiguration) => number | undefined,
): Column<Level> {
  const cell = ({ spec }: Level) => (spec.limited && read(spec.limited)) ?? "<none>";
  return { name, type: "string", description, cell };
}

function validateSpec({ metadata: { name }, spec: { type, limited, exempt } }: Level, at: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if ((name === "exempt") !== (type === "Exempt")) {
    errors.push(invalid(at.child("type"), type, "must be 'Exempt' if and only if `name` is 'exempt'"));
  }
  if (type === "Exempt") {
    if (limited) errors.push(forbidden(at.child("limited"), "must be nil if the type is not Limited"));
    if (exempt) errors.push(...validateShares(exempt, at.child("exempt")));
  } else if (type === "Limited") {
    if (exempt) errors.push(forbidden(at.child("exempt"), "must be nil if the type is Limited"));
    if (limited) errors.push(...validateLimited(limited, at.child("limited")));
    else errors.push(required(at.child("limited"), "must not be empty when type is Limited"));
  } else {
    errors.push(notSupported(at.child("type"), type, ["Exempt", "Limited"]));
  }
  return errors;
}

function validateShares(
  { nominalConcurrencyShares: shares = 0, lendablePercent: percent = 0 }: ExemptPriorityLevelConfiguration,
  at: FieldPath,
) {
  const errors: FieldError[] = [];
  if (shares < 0) errors.push(invalid(at.child("nominalConcurrencyShares"), shares, "must be a non-negative integer"));
  if (percent < 0 || percent > 100) {
    errors.push(invalid(at.child("lendablePercent"), percent, "must be between 0 and 100, inclusive"));
  }
  return errors;
}

function validateLimited(limited: LimitedPriorityLevelConfiguration, at: FieldPath): FieldError[] {
  const { borrowingLimitPercent: borrowed = 0 } = limited;
  const errors = validateShares(limited, at);
  // The errors of the response come between those of the shares and of lending.
  const head = errors.filter(({ field }) => field.endsWith("Shares"));
  const tail = errors.filter(({ field }) => !field.endsWith("Shares"));
  if (borrowed < 0) {
    const why = "if specified, must be a non-negative integer";
    tail.push(invalid(at.child("borrowingLimitPercent"), borrowed, why));
  }
  return [...head, ...validateResponse(limited.limitResponse, at.child("limitResponse")), ...tail];
}

function validateResponse({ type, queuing }: LimitResponse, at: FieldPath): FieldError[] {
  const where = at.child("queuing");
  if (type === "Reject") {
    return queuing ? [forbidden(where, "must be nil if limited.limitResponse.type is not Limited")] : [];
  }
  if (type !== "Queue") return [notSupported(at.child("type"), type, ["Queue", "Reject"])];
  if (!queuing) return [required(where, "must not be empty if limited.limitResponse.type is Limited")];
  return validateQueuing(queuing, where);
}

function validateQueuing({ queues, handSize, queueLengthLimit: length }: QueuingConfiguration, at: FieldPath) {
  const errors: FieldError[] = [];
  if (length <= 0) errors.push(invalid(at.child("queueLengthLimit"), length, "must be positive"));
  if (queues <= 0) errors.push(invalid(at.child("queues"), queues, "must be positive"));
  else if (queues > maxQueues) {
    errors.push(invalid(at.child("queues"), queues, `must not be greater than ${maxQueues}`));
  }
  const hand = at.child("handSize");
  if (handSize <= 0) errors.push(invalid(hand, handSize, "must be positive"));
  else if (handSize > queues) errors.push(invalid(hand, handSize, `should not be greater than queues (${queues})`));
  else if (Math.ceil(Math.log2(queues) * handSize) > maxHashBits) {
    const why = `required entropy bits of deckSize ${queues} and handSize ${handSize} should not be greater than ${maxHashBits}`;
    errors.push(invalid(hand, handSize, why));
  }
  return errors;
}

function validateFixed({ metadata: { name = "" }, spec }: Level): FieldError[] {
  const fixed = Object.hasOwn(mandatoryPriorityLevels, name) ? mandatoryPriorityLevels[name] : undefined;
  if (!fixed) return [];
  const isExempt = name === "exempt";
  const compared = isExempt ? { ...spec, exempt: fixed.exempt } : spec;
  if (semanticEqual(compared, fixed)) return [];
  const what = isExempt ? " except the 'spec.exempt' field" : "";
  return [invalid(path("spec"), internalForm(specType, spec), `spec of '${name}'${what} must equal the fixed value`)];
}
