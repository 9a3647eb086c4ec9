import { describe, expect, test } from "vitest";
import { priority } from "../../worker/admission/priority.ts";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import { priorityClasses } from "../../worker/kinds/scheduling/priority-class.ts";
import { podOf } from "./pods.ts";
import { admit, objectOf, requestOf, stored } from "./request.ts";

const gold = { metadata: { name: "gold" }, value: 1000, preemptionPolicy: "Never" };

const create = (spec: object, ...classes: object[]) => {
  const object = podOf(spec);
  const storedClasses = classes.map((priorityClass) => stored(priorityClasses, priorityClass));
  admit(priority, requestOf(pods, "CREATE", { object, stored: storedClasses }));
  return [object.spec.priorityClassName, object.spec.priority, object.spec.preemptionPolicy];
};

describe("Priority of pods", () => {
  test("is 0 without a class and a default class", () => {
    expect(create({}, gold)).toEqual([undefined, 0, "PreemptLowerPriority"]);
  });

  test("has the value and the policy of the class", () => {
    expect(create({ priorityClassName: "gold" }, gold)).toEqual(["gold", 1000, "Never"]);
  });

  test("has the default class; of several, the lowest", () => {
    const high = { ...gold, globalDefault: true };
    const low = { metadata: { name: "low" }, value: 5, globalDefault: true, preemptionPolicy: "PreemptLowerPriority" };
    expect(create({}, high, low)).toEqual(["low", 5, "PreemptLowerPriority"]);
  });

  test("rejects an unknown class", () => {
    expect(() => create({ priorityClassName: "silver" }, gold)).toThrow(
      'pods "web" is forbidden: no PriorityClass with name silver was found',
    );
  });

  test("rejects a priority that differs from the class", () => {
    expect(() => create({ priority: 7 })).toThrow(
      'pods "web" is forbidden: the integer value of priority (7) must not be provided in pod spec; priority admission controller computed 0 from the given PriorityClass name',
    );
  });

  test("rejects a preemption policy that differs from the class", () => {
    expect(() => create({ preemptionPolicy: "Never" })).toThrow(
      'pods "web" is forbidden: the string value of PreemptionPolicy (Never) must not be provided in pod spec; priority admission controller computed PreemptLowerPriority from the given PriorityClass name',
    );
  });

  test("keeps values that an update omits", () => {
    const object = podOf();
    const previous = podOf({ priority: 5, preemptionPolicy: "Never" });
    admit(priority, requestOf(pods, "UPDATE", { object, previous }));
    expect([object.spec.priority, object.spec.preemptionPolicy]).toEqual([5, "Never"]);
  });
});

describe("Priority of classes", () => {
  const otherClass = { metadata: { name: "other" }, value: 1, globalDefault: true };
  const storedClasses = [stored(priorityClasses, { ...gold, globalDefault: true })];

  test("allows only one default", () => {
    const object = objectOf(priorityClasses, otherClass);
    expect(() => admit(priority, requestOf(priorityClasses, "CREATE", { object, stored: storedClasses }))).toThrow(
      'priorityclasses.scheduling.k8s.io "other" is forbidden: PriorityClass gold is already marked as default. Only one default can exist',
    );
  });

  test("allows an update of the default class", () => {
    const object = objectOf(priorityClasses, { ...gold, globalDefault: true, description: "new" });
    expect(() =>
      admit(priority, requestOf(priorityClasses, "UPDATE", { object, stored: storedClasses })),
    ).not.toThrow();
  });
});
