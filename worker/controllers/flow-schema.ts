// What the API server's priority and fairness says of a FlowSchema: whether the priority level that it names is there.
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
    // Schemas mind only that a level is there, whatever it says.
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
    const wanted = wantedFor(level, client.get(priorityLevelConfigurations, "", level) !== undefined);
    const conditions = schema.status.conditions ?? [];
    const found = conditions.find((one) => one.type === type);
    if (found && isSame(found, wanted)) return undefined;
    const others = conditions.filter((one) => one !== found);
    const status = { conditions: [...others, { type, lastTransitionTime: rfc3339(nowMs), ...wanted }] };
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

function isSame(found: FlowSchemaCondition, wanted: ReturnType<typeof wantedFor>): boolean {
  return (["status", "reason", "message"] as const).every((field) => found[field] === wanted[field]);
}
