// The grading of exams without a request: at the reminder of a tenant's object, and by the scheduled run.
import type { Env } from "../../env.ts";
import { gradeDueExams } from "../control-api/learn/due-exams.ts";
import { type Backing, backing } from "./backing.ts";

/** The exams of one reminder or scheduled run, each of which is a call for every task. */
const examsAtOnce = 20;
const nextMs = 1_000;
const failedMs = 60_000;

/** Grades exams of a tenant. Returns the milliseconds after which the rest can be graded, or undefined if none is left. */
export async function gradeExamsOf(env: Env, tenantId: string): Promise<number | undefined> {
  const { graded, isSomeLeft } = await gradeExams(backing(env), tenantId);
  if (!isSomeLeft) return undefined;
  return graded > 0 ? nextMs : failedMs;
}

export function gradeExams(service: Backing, tenantId?: string) {
  // Nothing of a response is built, so there are no addresses of the service.
  return gradeDueExams({ ...service, server: "", console: "" }, examsAtOnce, tenantId);
}
