// The check of a lesson's step: a button, and the results of its checks.
import { useState } from "preact/hooks";
import { messageOf } from "../../api/control-failure.ts";
import { Alert } from "../../parts/alert.tsx";
import type { FrameState } from "../frame/model.ts";

export function CheckPane({ frame }: { readonly frame: FrameState }) {
  const words = frame.words.value;
  const run = frame.run.value;
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState("");
  // The step that was checked last. Passing it starts the next one.
  const [checked, setChecked] = useState<number | undefined>(undefined);
  if (!run) return null;
  const check = () => {
    setBusy(true);
    setFailure("");
    setChecked(run.step);
    frame
      .check()
      .catch((error: unknown) => setFailure(messageOf(error)))
      .finally(() => setBusy(false));
  };
  const result = checked === undefined ? undefined : run.steps[checked - 1];
  return (
    <div class="check">
      <div class="titled">
        <button type="button" class="primary" disabled={busy} onClick={check}>
          {busy ? words.checking : words.check}
        </button>
        <span class="facts">
          {words.step} {run.step}/{run.steps.length} · {run.points}/{run.maxPoints} {words.points}
        </span>
      </div>
      <Alert text={failure} />
      <div role="status">
        {result && !busy && (
          <ul class="results">
            {result.checks.map(({ name, passed, hint, message }) => (
              <li key={name} class={passed ? "ok" : "bad"}>
                <strong>
                  {passed ? "✓" : "✗"} {name}
                </strong>
                {!passed && (message || hint) && <p>{message || hint}</p>}
              </li>
            ))}
          </ul>
        )}
        {run.state === "finished" && <p class="done">{words.finished}</p>}
      </div>
    </div>
  );
}
