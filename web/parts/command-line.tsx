// The line for a shell that does the same as what stands above it.
import { CopyButton } from "./copy-button.tsx";

interface Props {
  readonly line: string;
  readonly label?: string;
}

export function CommandLine({ line, label = "From a shell" }: Props) {
  return (
    <div class="command">
      <span>{label}</span>
      <pre>
        <code>{line}</code>
      </pre>
      <CopyButton class="quiet" label="Copy" text={() => line} file="command.sh" />
    </div>
  );
}
