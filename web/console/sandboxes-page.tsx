// The list of all sandboxes, and the form of a new one.
import { useEffect, useState } from "preact/hooks";
import type { Sandbox } from "../../shared/contract/sandbox.ts";
import type { Control } from "../api/control.ts";
import { may } from "../api/session.ts";
import { sandbarLine } from "../api/lines.ts";
import { CommandLine } from "../parts/command-line.tsx";
import { MoreButton } from "../parts/more-button.tsx";
import { usePages } from "../parts/pages.ts";
import { CreateDialog } from "./create-dialog.tsx";
import { DeleteDialog } from "./delete-dialog.tsx";
import { EmbedDialog } from "./embed-dialog.tsx";
import { go, newSandboxPath, pathTo, sandboxPath } from "./route.ts";
import { SandboxTable } from "./sandbox-table.tsx";
import { texts as all } from "../messages/console.ts";

const texts = all.sandboxesPage;

interface SandboxDialog {
  readonly what: "delete" | "embed";
  readonly sandbox: Sandbox;
}

interface Props {
  readonly control: Control;
  readonly isMaking: boolean;
}

export function SandboxesPage({ control, isMaking }: Props) {
  const { sandboxes, more, failure, reload } = useSandboxes(control);
  const [openDialog, ask] = useState<SandboxDialog>();
  const close = () => ask(undefined);
  return (
    <>
      <div class="titled page">
        <h1>{texts.sandboxes}</h1>
        {may("sandboxes:create") && (
          <button type="button" class="primary" onClick={() => go(newSandboxPath)}>
            {texts.newSandbox}
          </button>
        )}
      </div>
      {failure && (
        <p class="notice" role="alert">
          {failure}{" "}
          <button type="button" onClick={reload}>
            {texts.tryAgain}
          </button>
        </p>
      )}
      {sandboxes?.length === 0 && (
        <p class="panel empty">
          {texts.none} <a href={pathTo("templates")}>{texts.fromTemplate}</a>.
        </p>
      )}
      {sandboxes && sandboxes.length > 0 && <SandboxTable control={control} sandboxes={sandboxes} ask={ask} />}
      <CommandLine label={texts.all} line={sandbarLine("list")} />
      {may("sandboxes:connect") && (
        <CommandLine label={texts.kubeconfig} line={`${sandbarLine("kubeconfig", "SANDBOX")} > kubeconfig`} />
      )}
      <MoreButton more={more} />
      {isMaking && may("sandboxes:create") && (
        <CreateDialog control={control} close={() => go("#/")} created={({ id }) => go(sandboxPath(id))} />
      )}
      {openDialog?.what === "delete" && (
        <DeleteDialog control={control} sandbox={openDialog.sandbox} close={close} deleted={reload} />
      )}
      {openDialog?.what === "embed" && <EmbedDialog control={control} sandbox={openDialog.sandbox} close={close} />}
    </>
  );
}

/** Reads the list again whenever the browser tab gets the focus, because other clients create sandboxes too. */
function useSandboxes(control: Control) {
  const { items: sandboxes, ...pages } = usePages(async (cursor) => {
    const { sandboxes: items, nextCursor } = await control.list(cursor);
    return { items, nextCursor };
  }, control);
  useEffect(() => {
    addEventListener("focus", pages.reload);
    return () => removeEventListener("focus", pages.reload);
  }, [pages.reload]);
  return { sandboxes, ...pages };
}
