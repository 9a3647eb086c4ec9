// The kubectl line that does the same, to be read and copied.
import { messages } from "../messages.ts";
import { CopyButton } from "../parts/copy-button.tsx";

export function Command({ line }: { readonly line: string }) {
  return (
    <p class="command">
      <code aria-label={messages.actions.command}>{line}</code>
      <CopyButton class="quiet" label={messages.common.copy} text={() => line} file="command.sh" />
    </p>
  );
}
