// Runs plans, several at once.
import type { Bench, RunResult } from "./bench.ts";
import type { Plan } from "./plans.ts";

export interface NumberedPlan {
  readonly number: number;
  readonly plan: Plan;
}

export interface Finding extends NumberedPlan {
  readonly problems: readonly string[];
  readonly result: RunResult;
}

export interface Running {
  readonly atOnce: number;
  readonly signal: AbortSignal;
  report(number: number, finding: Finding | undefined, ms: number): void;
}

/** Runs plans and reports each result. A plan with a problem is run again with care, and only that run counts, to exclude chance. */
export async function runPlans(
  bench: Pick<Bench, "run" | "problemsOf">,
  plans: readonly NumberedPlan[],
  { atOnce, signal, report }: Running,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  const waiting = [...plans];
  const work = async () => {
    for (let next = waiting.shift(); next && !signal.aborted; next = waiting.shift()) {
      const { number, plan } = next;
      const first = await bench.run(plan, `plan-${number}`, "quick");
      const isSuspect = bench.problemsOf(first, plan).length > 0;
      const result = isSuspect ? await bench.run(plan, `plan-${number}-again`, "careful") : first;
      const problems = bench.problemsOf(result, plan);
      const finding = problems.length > 0 ? { number, plan, problems, result } : undefined;
      if (finding) findings.push(finding);
      report(number, finding, first.ms);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return findings.sort((a, b) => a.number - b.number);
}
