// Sets the condition Dangling of FlowSchemas: whether their priority level exists.
import type { FlowSchema, FlowSchemaCondition } from "../../shared/k8s/api/flowcontrol-v1.ts";
import { rfc3339 } from "../../shared/k8s/time.ts";
import { flowSchemas } from "../kinds/flowcontrol/flow-schema.ts";
import { priorityLevelConfigurations } from "../kinds/flowcontrol/priority-level-configuration.ts";
import { defineController, requestOf, self, watch } from "../runtime/controller.ts";

const type = "Dangling";

export const flowSchemaController = defineController({
  name: "api-priority-and-fairness",
  user: "system:apiserver",
  component: "kube-apiserver",
  watches: [
    self(flowSchemas),
    // Schemas depend only on the existence of a level.
    watch(priorityLevelConfigurations, function* (next, previous, client) {
      if (next && previous) return;
      const name = (next ?? previous)?.metadata.name;
      for (const schema of client.each(flowSchemas)) {
        if (schema.spec.priorityLevelConfiguration.name === name) yield requestOf(schema);
      }
    }),
  ],
  reconcile({ name }, { client, nowMs }) {
    const schema = client.get(flowSchemas, "", name);
    if (!schema) return undefined;
    const level = schema.spec.priorityLevelConfiguration.name;
    const desired = wantedFor(level, client.get(priorityLevelConfigurations, "", level) !== undefined);
    const conditions = schema.status.conditions ?? [];
    const current = conditions.find((candidate) => candidate.type === type);
    if (current && isSame(current, desired)) return undefined;
    const otherConditions = conditions.filter((candidate) => candidate !== current);
    const status = { conditions: [...otherConditions, { type, lastTransitionTime: rfc3339(nowMs), ...desired }] };
    client.updateStatus<FlowSchema>(flowSchemas, { ...schema, status });
    return undefined;
  },
});

function wantedFor(level: string, isThere: boolean) {
  const message = `This FlowSchema references the PriorityLevelConfiguration object named ${JSON.stringify(level)}`;
  return isThere
    ? { status: "False", reason: "Found", message: `${message} and it exists` }
    : { status: "True", reason: "NotFound", message: `${message} but there is no such object` };
}

function isSame(current: FlowSchemaCondition, desired: ReturnType<typeof wantedFor>): boolean {
  return (["status", "reason", "message"] as const).every((field) => current[field] === desired[field]);
}
