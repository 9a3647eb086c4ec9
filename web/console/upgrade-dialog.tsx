// The dialog that upgrades a sandbox to the next Kubernetes version, and follows the nodes until they have it.
import { useEffect, useState } from "preact/hooks";
import type { KubernetesVersion } from "../../shared/k8s/settings/release.ts";
import type { ShownSandbox } from "../../shared/contract/sandbox.ts";
import type { Control } from "../api/control.ts";
import { sandbarLine } from "../api/lines.ts";
import { texts as all } from "../messages/console.ts";
import { CommandLine } from "../parts/command-line.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { FormDialog } from "../parts/form-dialog.tsx";
import { Meter } from "../parts/meter.tsx";
import { countText } from "../parts/numbers.ts";
import { useSubmit } from "../parts/submit.ts";
import { useLive } from "../view/context.ts";
import { nodeVersions } from "./node-versions.ts";

const texts = all.upgradeDialog;
const namesAtMost = 12;

interface Props {
  readonly control: Control;
  readonly sandbox: ShownSandbox;
  readonly to: KubernetesVersion;
  readonly close: () => void;
  readonly changed: (sandbox: ShownSandbox) => void;
}

export function UpgradeDialog({ control, sandbox: { id, name }, to, close, changed }: Props) {
  const [isRequested, setRequested] = useState(false);
  const form = useSubmit(async () => {
    changed(await control.changeSandbox(id, { version: to }));
    setRequested(true);
  }, []);
  if (isRequested) return <Progress name={name} to={to} close={close} />;
  return (
    <FormDialog
      title={texts.title(name, to)}
      close={close}
      form={form}
      action={texts.upgrade(to)}
      doing={texts.upgrading}
      cancelLabel={texts.cancel}
    >
      <p>{texts.means}</p>
      <CommandLine line={sandbarLine("update", id, "--kubernetes-version", to)} />
    </FormDialog>
  );
}

function Progress({ name, to, close }: Pick<Props, "to" | "close"> & { readonly name: string }) {
  const { cluster } = useLive();
  const nodes = cluster.nodes.all.value;
  const { upgraded, older } = nodeVersions(nodes, to);
  const isDone = older === 0;
  // The kinds that the server serves have changed with its version.
  useEffect(() => void cluster.reloadServed(), [cluster]);
  return (
    <Dialog title={texts.title(name, to)} close={close}>
      <div class="made">
        <p role="status">{isDone ? texts.done(to) : texts.nodesFollow(to)}</p>
        <Meter label={texts.nodes} used={upgraded} limited={upgraded + older} text={countText} />
        <ul class="bulk-names">
          {nodes.slice(0, namesAtMost).map(({ metadata, status }) => (
            <li key={metadata.name}>
              {metadata.name} <span class="muted">{status?.nodeInfo?.kubeletVersion}</span>
            </li>
          ))}
          {nodes.length > namesAtMost && <li class="muted">{texts.more(nodes.length - namesAtMost)}</li>}
        </ul>
        <footer>
          <button type="button" class="primary" onClick={close}>
            {isDone ? texts.close : texts.closeMeanwhile}
          </button>
        </footer>
      </div>
    </Dialog>
  );
}
