// The line for a shell that does the same as what stands above it.
import { CopyButton } from "./copy-button.tsx";
import { texts as all } from "../messages/components.ts";

const texts = all.commandLine;

interface Props {
  readonly line: string;
  readonly label?: string;
}

export function CommandLine({ line, label = texts.title }: Props) {
  return (
    <div class="command">
      <span>{label}</span>
      <pre>
        <code>{line}</code>
      </pre>
      <CopyButton class="quiet" label={texts.copy} text={() => line} file="command.sh" />
    </div>
  );
}
