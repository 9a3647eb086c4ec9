// The dialog that downloads a sandbox: its objects as YAML, or its whole state.
import type { Sandbox } from "../../../shared/contract/sandbox.ts";
import type { Control } from "../../api/control.ts";
import { sandbarLine } from "../../api/lines.ts";
import { texts as all } from "../../messages/moving.ts";
import { CommandLine } from "../../parts/command-line.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { DownloadButton } from "../../parts/download-button.tsx";

const texts = all.exportDialog;

interface Props {
  readonly control: Control;
  readonly sandbox: Sandbox;
  readonly close: () => void;
}

export function ExportDialog({ control, sandbox: { id, name }, close }: Props) {
  const path = `/v1/sandboxes/${encodeURIComponent(id)}/export`;
  return (
    <Dialog title={texts.title(name)} close={close}>
      <div class="made">
        <p>{texts.yamlMeans}</p>
        <DownloadButton control={control} label={texts.yaml} path={`${path}?format=yaml`} file={`${name}.yaml`} />
        <CommandLine line={`${sandbarLine("export", id)} > ${name}.yaml`} />
        <p>{texts.stateMeans}</p>
        <DownloadButton
          control={control}
          label={texts.state}
          path={`${path}?format=state`}
          file={`${name}.sandbar-state`}
        />
        <CommandLine line={`${sandbarLine("export", id, "--state")} > ${name}.sandbar-state`} />
        <footer>
          <button type="button" class="primary" onClick={close}>
            {texts.done}
          </button>
        </footer>
      </div>
    </Dialog>
  );
}
