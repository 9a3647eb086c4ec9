import { describe, expect, test } from "vitest";
import { priority } from "../../worker/admission/priority.ts";
import { pods } from "../../worker/kinds/pods.ts";
import { podOf } from "./pods.ts";
import { admit, requestOf } from "./request.ts";

const create = (spec: object) => {
  const object = podOf(spec);
  admit(priority, requestOf(pods, "CREATE", { object }));
  return [object.spec.priority, object.spec.preemptionPolicy];
};

describe("Priority", () => {
  test.each([
    [undefined, 0],
    ["system-cluster-critical", 2_000_000_000],
    ["system-node-critical", 2_000_001_000],
  ])("gives a pod of class %s its priority", (priorityClassName, value) => {
    expect(create({ priorityClassName })).toEqual([value, "PreemptLowerPriority"]);
  });

  test("refuses an unknown class", () => {
    expect(() => create({ priorityClassName: "gold" })).toThrow(
      'pods "web" is forbidden: no PriorityClass with name gold was found',
    );
  });

  test("refuses a priority other than the class's", () => {
    expect(() => create({ priority: 7 })).toThrow(
      'pods "web" is forbidden: the integer value of priority (7) must not be provided in pod spec; priority admission controller computed 0 from the given PriorityClass name',
    );
  });

  test("refuses a preemption policy other than the class's", () => {
    expect(() => create({ preemptionPolicy: "Never" })).toThrow(
      'pods "web" is forbidden: the string value of PreemptionPolicy (Never) must not be provided in pod spec; priority admission controller computed PreemptLowerPriority from the given PriorityClass name',
    );
  });

  test("keeps on an update what the update leaves out", () => {
    const object = podOf();
    const previous = podOf({ priority: 5, preemptionPolicy: "Never" });
    admit(priority, requestOf(pods, "UPDATE", { object, previous }));
    expect([object.spec.priority, object.spec.preemptionPolicy]).toEqual([5, "Never"]);
  });
});
