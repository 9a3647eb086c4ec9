import { describe, expect, test } from "vitest";
import type { Job, JobStatus } from "../../shared/k8s/api/batch-v1.ts";
import type { PodSpec } from "../../shared/k8s/api/core-v1.ts";
import type { Draft } from "../../shared/k8s/meta.ts";
import { decode } from "../../shared/schema/decode.ts";
import { jobs } from "../../worker/kinds/batch/job/job.ts";
import { countIndexes, overlap } from "../../worker/kinds/batch/job/indexes.ts";
import { validateJobStatus } from "../../worker/kinds/batch/job/validation/status.ts";
import { validateJobUpdate } from "../../worker/kinds/batch/job/validation/update.ts";

function job(spec: Draft<Job["spec"]>, pod: Draft<PodSpec> = {}, status: Draft<JobStatus> = {}): Job {
  const labels = { app: "web" };
  const template = {
    metadata: { labels },
    spec: { restartPolicy: "Never", containers: [{ name: "web", image: "nginx" }], ...pod },
  };
  const jobSpec = { selector: { matchLabels: labels }, manualSelector: true, template, ...spec };
  // Decoding by the type of jobs returns a job. Defaults set what validation expects.
  const decoded = decode(jobs.type, { metadata: { name: "web", uid: "u" }, spec: jobSpec, status }).object as Job;
  jobs.defaults?.(decoded);
  return decoded;
}

const idle = { conditions: [{ type: "Suspended", status: "True" }] };
const fields = (errors: readonly { field: string }[]) => errors.map(({ field }) => field);

describe("the immutable template of a job", () => {
  const elsewhere = { nodeSelector: { disk: "ssd" }, tolerations: [{ operator: "Exists" as const }] };
  const larger = { containers: [{ name: "web", image: "nginx", resources: { requests: { cpu: "2" } } }] };

  test.each([
    ["placed elsewhere", elsewhere],
    ["changed in its resources", larger],
    ["changed in its node affinity", { affinity: { nodeAffinity: {} } }],
  ])("may be %s in a suspended job without pods", (_, change) => {
    const before = job({ suspend: true }, {}, idle);
    expect(validateJobUpdate(job({ suspend: true }, change, idle), before)).toEqual([]);
  });

  test.each([
    ["the job runs", job({}, {})],
    ["the controller has not seen that it is suspended", job({ suspend: true })],
    ["its pods still run", job({ suspend: true }, {}, { ...idle, active: 1 })],
  ])("is refused to change while %s", (_, before) => {
    const { suspend = false } = before.spec;
    expect(fields(validateJobUpdate(job({ suspend }, elsewhere), before))).toEqual(["spec.template"]);
  });

  test("is immutable except for placement and resources", () => {
    const before = job({ suspend: true }, {}, idle);
    const next = job({ suspend: true }, { containers: [{ name: "web", image: "other" }] }, idle);
    expect(fields(validateJobUpdate(next, before))).toEqual(["spec.template.spec"]);
  });
});

describe("the monotonic status of a job", () => {
  const ended = { startTime: "2026-01-01T00:00:00Z", completionTime: "2026-01-01T00:01:00Z", succeeded: 1 };
  const conditions = [
    { type: "SuccessCriteriaMet", status: "True" },
    { type: "Complete", status: "True" },
  ];
  const before = job({}, {}, { ...ended, conditions });

  test("a complete job stays complete, with its time", () => {
    const next = job({}, {}, { startTime: ended.startTime, succeeded: 0 });
    expect(validateJobStatus(next, before).map(({ field, message }) => `${field}: ${message}`)).toEqual([
      "status.conditions: Invalid value: cannot disable the terminal Complete=True condition",
      "status.succeeded: Invalid value: 0: cannot decrease the succeeded counter",
      "status.conditions: Invalid value: cannot disable the SuccessCriteriaMet=True condition",
    ]);
  });

  test("the completion time is written once", () => {
    const next = job({}, {}, { ...ended, conditions, completionTime: "2026-01-01T00:02:00Z" });
    expect(fields(validateJobStatus(next, before))).toEqual(["status.completionTime"]);
  });

  test("the start time changes only when a suspended job resumes", () => {
    const started = (time: string, status: string) => {
      const suspended = [{ type: "Suspended", status }];
      return job({}, {}, { startTime: time, conditions: suspended });
    };
    const first = started("2026-01-01T00:00:00Z", "True");
    expect(validateJobStatus(started("2026-01-01T00:05:00Z", "False"), first)).toEqual([]);
    expect(fields(validateJobStatus(started("2026-01-01T00:05:00Z", "True"), first))).toEqual(["status.startTime"]);
  });

  test("existing violations do not prevent other updates", () => {
    const wrong = job({}, {}, { completedIndexes: "0" });
    expect(validateJobStatus(job({}, {}, { completedIndexes: "0", active: 1 }), wrong)).toEqual([]);
  });
});

describe("index intervals", () => {
  test.each([
    ["", 0],
    ["0,2-4,9", 5],
  ])("%j counts %d", (text, total) => {
    expect(countIndexes(text, 10)).toEqual({ total });
  });

  test.each([
    ["1-2-3", "at most two parts separated by '-'"],
    ["a", 'cannot convert string to integer for index: "a"'],
    ["0-b", 'cannot convert string to integer for index: "b"'],
    ["10", 'too large index: "10"'],
    ["3-3", "non-increasing order, previous: 3, current: 3"],
    ["4,2", "non-increasing order, previous: 4, current: 2"],
  ])("%j is rejected", (text, why) => {
    expect(countIndexes(text, 10).error).toContain(why);
  });

  test.each([
    ["0-3", "3,5", 3],
    ["0,2,4", "1,3,5", undefined],
    ["x,4", "2-4", 4],
    ["", "1", undefined],
  ])("%j and %j have %s in common", (left, right, index) => {
    expect(overlap(left, right, 10)).toBe(index);
  });
});
