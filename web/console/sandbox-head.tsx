// The head of a sandbox's page: its facts and its actions.
import { useState } from "preact/hooks";
import type { ShownSandbox } from "../../shared/contract/sandbox.ts";
import type { Control } from "../api/control.ts";
import { may } from "../api/session.ts";
import { messages } from "../messages.ts";
import { texts as createTexts } from "../messages/create.ts";
import { createText } from "../objects/create/create-text.ts";
import { Age, Expiry } from "../parts/age.tsx";
import { CopyButton } from "../parts/copy-button.tsx";
import { useCurrentSandbox } from "./current-sandbox.ts";
import { DeleteDialog } from "./delete-dialog.tsx";
import { EmbedDialog } from "./embed-dialog.tsx";
import { NodesDialog } from "./nodes-dialog.tsx";
import { RotateDialog } from "./rotate-dialog.tsx";
import { go, pathTo } from "./route.ts";
import { SandboxFacts } from "./sandbox-fields.tsx";

interface Props {
  readonly control: Control;
  readonly sandbox: ShownSandbox;
  readonly isOver: boolean;
  readonly mayWrite: boolean;
}

export function SandboxHead({ control, sandbox: first, isOver, mayWrite }: Props) {
  const [sandbox, setSandbox] = useCurrentSandbox(control, first, isOver);
  const { id, name } = sandbox;
  const [openDialog, ask] = useState<"delete" | "embed" | "nodes" | "rotate">();
  const close = () => ask(undefined);
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
          {may("sandboxes:connect") && (
            <button type="button" onClick={() => ask("embed")}>
              {messages.sandbox.embed}
            </button>
          )}
          {may("templates:write") && may("sandboxes:connect") && (
            <a class="button" href={pathTo("templates", [], { make: id })}>
              {messages.sandbox.makeTemplate}
            </a>
          )}
          {may("sandboxes:write") && (
            <button type="button" onClick={() => ask("nodes")}>
              {messages.sandbox.changeNodes}
            </button>
          )}
          {may("sandboxes:write") && may("sandboxes:connect") && (
            <button type="button" onClick={() => ask("rotate")}>
              {messages.sandbox.rotate}
            </button>
          )}
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
    </div>
  );
}

function Facts({ sandbox, isOver }: Pick<Props, "sandbox" | "isOver">) {
  const { id, name, createdAt, expiresAt, phase, nodes } = sandbox;
  return (
    <div>
      <h1>{name}</h1>
      <p class="facts">
        <code>{id}</code>
        {!isOver && <span>{phase}</span>}
        <span>{messages.sandbox.nodes(nodes)}</span>
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
