// `kubectl create namespace`, `quota`, `serviceaccount`, `poddisruptionbudget` and `priorityclass`.
import { formatQuantity, parseQuantity } from "../../../shared/k8s/quantity.ts";
import { parseRequirements } from "../../../shared/k8s/selectors/label-query.ts";
import type { JsonObject } from "../../../shared/schema/json-values.ts";
import type { CommandCall } from "../command.ts";
import { boolFlag, intFlag, stringFlag } from "../flag.ts";
import { type Creator, intOrString } from "./creator.ts";

export const settingCreators: readonly Creator[] = [
  {
    name: "namespace",
    aliases: ["ns"],
    use: "NAME [--dry-run=server|client|none] [options]",
    short: "Create a namespace with the specified name",
    build: (_, name) => ({ apiVersion: "v1", kind: "Namespace", metadata: { name }, spec: {}, status: {} }),
  },
  {
    name: "serviceaccount",
    aliases: ["sa"],
    use: "NAME [--dry-run=server|client|none] [options]",
    short: "Create a service account with the specified name",
    failure: "failed to create serviceaccount: ",
    build: (_, name) => ({ apiVersion: "v1", kind: "ServiceAccount", metadata: { name } }),
  },
  {
    name: "quota",
    aliases: ["resourcequota"],
    use: "NAME [--hard=key1=value1,key2=value2] [--scopes=Scope1,Scope2] [--dry-run=server|client|none] [options]",
    short: "Create a quota with the specified name",
    flags: [
      stringFlag("hard", "A comma-delimited set of resource=quantity pairs that define a hard limit."),
      stringFlag(
        "scopes",
        "A comma-delimited set of quota scopes that must all match each object tracked by the quota.",
      ),
    ],
    failure: "failed to create quota: ",
    build: quota,
  },
  {
    name: "poddisruptionbudget",
    aliases: ["pdb"],
    use: "NAME --selector=SELECTOR --min-available=N [--dry-run=server|client|none] [options]",
    short: "Create a pod disruption budget with the specified name",
    flags: [
      stringFlag("min-available", "The minimum number or percentage of available pods this budget requires."),
      stringFlag("max-unavailable", "The maximum number or percentage of unavailable pods this budget requires."),
      stringFlag(
        "selector",
        "A label selector to use for this budget. Only equality-based selector requirements are supported.",
      ),
    ],
    failure: "failed to create poddisruptionbudgets: ",
    build: disruptionBudget,
  },
  {
    name: "priorityclass",
    aliases: ["pc"],
    use: "NAME --value=VALUE --global-default=BOOL [--dry-run=server|client|none] [options]",
    short: "Create a priority class with the specified name",
    flags: [
      intFlag("value", "the value of this priority class.", { default: 0 }),
      boolFlag(
        "global-default",
        "global-default specifies whether this PriorityClass should be considered as the default priority.",
      ),
      stringFlag(
        "description",
        "description is an arbitrary string that usually provides guidelines on when this priority class should be used.",
      ),
      stringFlag("preemption-policy", "preemption-policy is the policy for preempting pods with lower priority.", {
        default: "PreemptLowerPriority",
      }),
    ],
    failure: "failed to create priorityclass: ",
    build: ({ flags }, name) => ({
      apiVersion: "scheduling.k8s.io/v1",
      kind: "PriorityClass",
      metadata: { name },
      value: flags.int("value"),
      ...(flags.bool("global-default") ? { globalDefault: true } : {}),
      ...(flags.text("description") ? { description: flags.text("description") } : {}),
      preemptionPolicy: flags.text("preemption-policy"),
    }),
  },
];

function quota({ flags }: CommandCall, name: string): JsonObject {
  const hard: JsonObject = {};
  for (const statement of flags.text("hard").split(",").filter(Boolean)) {
    const [resource = "", amount, more] = statement.split("=");
    if (amount === undefined || more !== undefined)
      throw new Error(`Invalid argument syntax ${statement}, expected <resource>=<value>`);
    const quantity = parseQuantity(amount);
    if (!quantity)
      throw new Error("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
    hard[resource] = formatQuantity(quantity);
  }
  const scopes = flags.text("scopes") ? flags.text("scopes").split(",") : [];
  if (scopes.includes("")) throw new Error('invalid resource quota scope ""');
  return {
    apiVersion: "v1",
    kind: "ResourceQuota",
    metadata: { name },
    spec: { ...(Object.keys(hard).length > 0 ? { hard } : {}), ...(scopes.length > 0 ? { scopes } : {}) },
    status: {},
  };
}

function disruptionBudget({ flags }: CommandCall, name: string): JsonObject {
  const [min, max, selector] = [flags.text("min-available"), flags.text("max-unavailable"), flags.text("selector")];
  if (!selector) throw new Error("a selector must be specified");
  if (!min && !max) throw new Error("one of min-available or max-unavailable must be specified");
  if (min && max) throw new Error("min-available and max-unavailable cannot be both specified");
  if (min && !/^[0-9]+%?$/.test(min)) throw new Error("invalid format specified for min-available");
  if (max && !/^[0-9]+%?$/.test(max)) throw new Error("invalid format specified for max-unavailable");
  return {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name },
    spec: {
      ...(min ? { minAvailable: intOrString(min) } : { maxUnavailable: intOrString(max) }),
      selector: selectorObject(selector),
    },
    status: { currentHealthy: 0, desiredHealthy: 0, disruptionsAllowed: 0, expectedPods: 0 },
  };
}

/** `metav1.ParseToLabelSelector`. */
function selectorObject(text: string): JsonObject {
  const matchLabels: Record<string, string> = {};
  const matchExpressions: JsonObject[] = [];
  const operators: Readonly<Record<string, string>> = {
    in: "In",
    notin: "NotIn",
    "!=": "NotIn",
    exists: "Exists",
    "!": "DoesNotExist",
  };
  for (const { key, operator, values } of parseRequirements(text)) {
    if (operator === "=" || operator === "==") matchLabels[key] = values[0] ?? "";
    else if (operators[operator])
      matchExpressions.push({ key, operator: operators[operator], ...(values.length > 0 ? { values } : {}) });
    else throw new Error(`${JSON.stringify(operator)} isn't supported in label selectors`);
  }
  return {
    ...(Object.keys(matchLabels).length > 0 ? { matchLabels } : {}),
    ...(matchExpressions.length > 0 ? { matchExpressions } : {}),
  };
}
