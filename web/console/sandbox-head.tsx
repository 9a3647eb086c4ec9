// The head of a sandbox's page: its facts and its actions.
import { useState } from "preact/hooks";
import type { ShownSandbox } from "../../shared/contract/sandbox.ts";
import { type KubernetesVersion, nextVersion } from "../../shared/k8s/settings/release.ts";
import type { Control } from "../api/control.ts";
import { may } from "../api/session.ts";
import { messages } from "../messages.ts";
import { texts as createTexts } from "../messages/create.ts";
import { createText } from "../objects/create/create-text.ts";
import { ActionsMenu } from "../parts/actions-menu.tsx";
import { Age, Expiry } from "../parts/age.tsx";
import { CopyButton } from "../parts/copy-button.tsx";
import { useCurrentSandbox } from "./current-sandbox.ts";
import { DeleteDialog } from "./delete-dialog.tsx";
import { EmbedDialog } from "./embed-dialog.tsx";
import { ExportDialog } from "./moving/export-dialog.tsx";
import { nodeVersions } from "./node-versions.ts";
import { NodesDialog } from "./nodes-dialog.tsx";
import { RotateDialog } from "./rotate-dialog.tsx";
import { go, pathTo } from "./route.ts";
import { SandboxFacts } from "./sandbox-fields.tsx";
import { UpgradeDialog } from "./upgrade-dialog.tsx";
import { useLive } from "../view/context.ts";

/** The dialog that is open. The version is fixed when the dialog opens, because the sandbox has it afterwards. */
type HeadDialog =
  | "delete"
  | "embed"
  | "export"
  | "nodes"
  | "rotate"
  | { readonly upgradeTo: KubernetesVersion }
  | undefined;

interface Props {
  readonly control: Control;
  readonly sandbox: ShownSandbox;
  readonly isOver: boolean;
  readonly mayWrite: boolean;
}

export function SandboxHead({ control, sandbox: first, isOver, mayWrite }: Props) {
  const [sandbox, setSandbox] = useCurrentSandbox(control, first, isOver);
  const { id, name } = sandbox;
  const [openDialog, ask] = useState<HeadDialog>();
  const next = nextVersion(sandbox.version);
  const close = () => ask(undefined);
  const upgradeTo = typeof openDialog === "object" ? openDialog.upgradeTo : undefined;
  return (
    <div class="titled page">
      <Facts sandbox={sandbox} isOver={isOver} />
      {isOver ? (
        <a href="#/">{messages.ended.all}</a>
      ) : (
        <div class="actions">
          {mayWrite && (
            <button type="button" class="primary" onClick={() => void (createText.value = "")}>
              {createTexts.create}
            </button>
          )}
          {may("sandboxes:connect") && (
            <CopyButton
              label={messages.sandbox.kubeconfig}
              text={() => control.kubeconfig(id)}
              file={`${name}.kubeconfig`}
            />
          )}
          <MoreActions id={id} next={next} ask={ask} />
          {may("sandboxes:delete") && (
            <button type="button" class="danger" onClick={() => ask("delete")}>
              {messages.sandbox.remove}
            </button>
          )}
        </div>
      )}
      {openDialog === "delete" && (
        <DeleteDialog control={control} sandbox={sandbox} close={close} deleted={() => go("#/")} />
      )}
      {openDialog === "nodes" && <NodesDialog control={control} sandbox={sandbox} close={close} changed={setSandbox} />}
      {openDialog === "rotate" && <RotateDialog control={control} sandbox={sandbox} close={close} />}
      {openDialog === "embed" && <EmbedDialog control={control} sandbox={sandbox} close={close} />}
      {openDialog === "export" && <ExportDialog control={control} sandbox={sandbox} close={close} />}
      {upgradeTo && (
        <UpgradeDialog control={control} sandbox={sandbox} to={upgradeTo} close={close} changed={setSandbox} />
      )}
    </div>
  );
}

type MenuEntry = readonly [isAllowed: boolean, text: string, dialog: HeadDialog];

interface MoreProps {
  readonly id: string;
  readonly next: KubernetesVersion | undefined;
  readonly ask: (dialog: HeadDialog) => void;
}

function MoreActions({ id, next, ask }: MoreProps) {
  const mayConnect = may("sandboxes:connect");
  const mayChange = may("sandboxes:write");
  const entries: readonly MenuEntry[] = [
    [mayConnect, messages.sandbox.embed, "embed"],
    [mayConnect, messages.sandbox.exportIt, "export"],
    [mayChange, messages.sandbox.changeNodes, "nodes"],
    ...(next ? [[mayChange, messages.sandbox.upgrade(next), { upgradeTo: next }] satisfies MenuEntry] : []),
    [mayChange && mayConnect, messages.sandbox.rotate, "rotate"],
  ];
  if (!mayConnect && !mayChange) return null;
  return (
    <ActionsMenu label={messages.sandbox.more}>
      {entries.map(
        ([isAllowed, text, dialog]) =>
          isAllowed && (
            <button key={text} type="button" onClick={() => ask(dialog)}>
              {text}
            </button>
          ),
      )}
      {may("templates:write") && mayConnect && (
        <a class="button" href={pathTo("templates", [], { make: id })}>
          {messages.sandbox.makeTemplate}
        </a>
      )}
    </ActionsMenu>
  );
}

function Facts({ sandbox, isOver }: Pick<Props, "sandbox" | "isOver">) {
  const { id, name, createdAt, expiresAt, phase, nodes, version } = sandbox;
  const { cluster } = useLive();
  const { upgraded, older } = nodeVersions(cluster.nodes.all.value, version);
  return (
    <div>
      <h1>{name}</h1>
      <p class="facts">
        <code>{id}</code>
        {!isOver && <span>{phase}</span>}
        <span>{messages.sandbox.nodes(nodes)}</span>
        <span>{messages.sandbox.version(version)}</span>
        {!isOver && older > 0 && <span role="status">{messages.sandbox.upgraded(upgraded, upgraded + older)}</span>}
        <span>
          <Age time={createdAt} usesServiceClock /> {messages.sandbox.old}
        </span>
        <span>
          {isOver && Date.parse(expiresAt) > Date.now() ? messages.sandbox.deleted : <Expiry time={expiresAt} />}
        </span>
        <SandboxFacts sandbox={sandbox} />
      </p>
    </div>
  );
}
