// The kind Binding, the legacy way to bind a pod to a node.
import { must } from "../../../shared/base/assert.ts";
import { act } from "../../registry/act.ts";
import { turn } from "../asking.ts";
import { actorOf, writingOf } from "../api-request.ts";
import { type VirtualResource, virtualKind } from "./resource.ts";

export const bindings: VirtualResource = {
  kind: virtualKind("", "bindings"),
  asksAdmission: true,
  create: async (req, binding, { namespace }, query) => {
    const target = { namespace, name: binding.metadata.name ?? "", subresource: "binding" };
    await turn(req, ({ server: { registry } }) => {
      const pods = must(registry.catalogue.byKind("v1", "Pod"), "Pod");
      const requestResource = { kind: bindings.kind, subresource: "" };
      act(registry, pods, target, binding, actorOf(req, "binding"), {
        ...writingOf(req, query),
        requestResource,
      });
    });
    return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 };
  },
};
