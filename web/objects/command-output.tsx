// Shows the output of the last kubectl line that a button ran, for some seconds at the foot of the page.
import { signal } from "@preact/signals";
import { messages } from "../messages.ts";

interface Output {
  readonly line: string;
  readonly text: string;
}

const shownMs = 12_000;
const last = signal<Output | undefined>(undefined);

export function showOutput(line: string, text: string): void {
  const output = { line, text: text.trim() };
  last.value = output;
  setTimeout(() => {
    if (last.value === output) last.value = undefined;
  }, shownMs);
}

export function CommandOutput() {
  const output = last.value;
  return (
    <div class="said" role="status">
      {output && (
        <div class="panel">
          <code>$ {output.line}</code>
          <pre>{output.text}</pre>
          <button
            type="button"
            class="quiet icon"
            aria-label={messages.common.close}
            onClick={() => void (last.value = undefined)}
          >
            ✕
          </button>
        </div>
      )}
    </div>
  );
}
