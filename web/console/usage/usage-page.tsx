// The usage of sandboxes by day or by sandbox, with prices, between two days in the address.
import { useCallback } from "preact/hooks";
import type { Usage } from "../../../shared/contract/hosted/usage.ts";
import type { Control, UsageQuestion } from "../../api/control.ts";
import { option, sandbarLine } from "../../api/lines.ts";
import { Alert } from "../../parts/alert.tsx";
import { CommandLine } from "../../parts/command-line.tsx";
import { saveFile } from "../../parts/save-file.ts";
import { useLoaded } from "../../parts/loaded.ts";
import { become, pathTo } from "../route.ts";
import { UsageReport } from "./usage-report.tsx";
import { texts as all } from "../../messages/usage.ts";

const texts = all.usagePage;

interface Props {
  readonly control: Control;
  readonly query: URLSearchParams;
}

export function UsagePage({ control, query }: Props) {
  const [from, to] = [dayIn(query, "from"), dayIn(query, "to")];
  const by = query.get("by") === "day" ? "day" : "sandbox";
  const read = useCallback(() => control.usage({ from, to, by }), [control, from, to, by]);
  const { value, failure, after } = useLoaded(read);
  const csv = async () => saveFile(await control.usageCsv({ from, to, by }), "usage.csv", "text/csv");
  return (
    <>
      <div class="titled page">
        <h1>{texts.usage}</h1>
        <button type="button" onClick={() => after(csv())}>
          {texts.downloadCsv}
        </button>
      </div>
      <QuestionForm question={{ from: from || value?.from || "", to: to || value?.to || "", by }} />
      <Alert text={failure} />
      {value && <Found usage={value} by={by} />}
      <CommandLine
        line={sandbarLine("usage", ...option("from", from), ...option("to", to), by === "day" && "--by-day")}
      />
    </>
  );
}

function Found({ usage, by }: { readonly usage: Usage; readonly by: "sandbox" | "day" }) {
  if (usage.rows.length > 0) return <UsageReport usage={usage} by={by} />;
  return (
    <p class="panel empty">
      {texts.none} <a href="#/">{texts.createSandbox}</a>
      {texts.noneHint}
    </p>
  );
}

function QuestionForm({ question }: { readonly question: Required<UsageQuestion> }) {
  const ask = (change: UsageQuestion) => become(pathTo("usage", [], { ...question, ...change }));
  return (
    <form class="asked" onSubmit={(event) => event.preventDefault()}>
      <label>
        {texts.from}
        <input type="date" value={question.from} onChange={({ currentTarget }) => ask({ from: currentTarget.value })} />
      </label>
      <label>
        {texts.to}
        <input type="date" value={question.to} onChange={({ currentTarget }) => ask({ to: currentTarget.value })} />
      </label>
      <label>
        {texts.by}
        <select
          aria-label={texts.by}
          value={question.by}
          onChange={({ currentTarget }) => ask({ by: currentTarget.value === "day" ? "day" : "sandbox" })}
        >
          <option value="sandbox">{texts.sandbox}</option>
          <option value="day">{texts.day}</option>
        </select>
      </label>
    </form>
  );
}

function dayIn(query: URLSearchParams, name: string): string {
  const text = query.get(name) ?? "";
  return /^\d{4}-\d\d-\d\d$/.test(text) ? text : "";
}
