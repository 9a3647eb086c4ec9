// What the last kubectl line of a button said, for a while at the page's foot.
import { signal } from "@preact/signals";
import { messages } from "../messages.ts";

interface Said {
  readonly line: string;
  readonly text: string;
}

const shownMs = 12_000;
const last = signal<Said | undefined>(undefined);

export function say(line: string, text: string): void {
  const said = { line, text: text.trim() };
  last.value = said;
  setTimeout(() => {
    if (last.value === said) last.value = undefined;
  }, shownMs);
}

export function Said() {
  const said = last.value;
  return (
    <div class="said" role="status">
      {said && (
        <div class="panel">
          <code>$ {said.line}</code>
          <pre>{said.text}</pre>
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
