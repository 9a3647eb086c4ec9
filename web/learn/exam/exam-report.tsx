// The result of an exam by domain.
import type { Run } from "../../../shared/contract/lesson.ts";
import { messages } from "../../messages/exam.ts";

type Exam = NonNullable<Run["exam"]>;

interface Props {
  readonly run: Run;
  readonly exam: Exam;
  readonly report: NonNullable<Exam["report"]>;
}

export function ExamReport({ run: { graded }, exam, report }: Props) {
  const isPassed = report.percent >= exam.passPercent;
  return (
    <div class={isPassed ? "ending ok" : "ending idle"}>
      <h2>{isPassed ? messages.passed : messages.failed}</h2>
      {graded?.by === "time" && <p>{messages.over}</p>}
      <p>{messages.result(report.percent, exam.passPercent)}</p>
      <table>
        <caption class="unseen">{messages.domains}</caption>
        <thead>
          <tr>
            <th scope="col">{messages.domain}</th>
            <th scope="col">{messages.points}</th>
          </tr>
        </thead>
        <tbody>
          {report.byDomain.map(({ domain, points, maxPoints }) => (
            <tr key={domain}>
              <td>{domain}</td>
              <td>{messages.of(points, maxPoints)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
