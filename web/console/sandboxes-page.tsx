// The list of all sandboxes, and the form of a new one.
import { useCallback, useEffect, useState } from "preact/hooks";
import type { Sandbox } from "../../shared/contract/sandbox.ts";
import { type Control, messageOf } from "../api/control.ts";
import { may } from "../api/session.ts";
import { sandbarLine } from "../api/lines.ts";
import { CommandLine } from "../parts/command-line.tsx";
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
      {more && (
        <button type="button" class="quiet more" onClick={more}>
          {texts.showMore}
        </button>
      )}
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

interface Listed {
  readonly sandboxes: readonly Sandbox[] | undefined;
  readonly more: (() => void) | undefined;
  readonly failure: string;
  readonly reload: () => void;
}

/** Reads the list again whenever the browser tab becomes visible, because other clients create sandboxes too. */
function useSandboxes(control: Control): Listed {
  const [sandboxes, setSandboxes] = useState<readonly Sandbox[]>();
  const [cursor, setCursor] = useState<string>();
  const [failure, setFailure] = useState("");
  const load = useCallback(
    async (from: string | undefined, before: readonly Sandbox[]) => {
      try {
        const page = await control.list(from);
        setSandboxes([...before, ...page.sandboxes]);
        setCursor(page.nextCursor);
        setFailure("");
      } catch (error) {
        setFailure(messageOf(error));
      }
    },
    [control],
  );
  const reload = useCallback(() => void load(undefined, []), [load]);
  useEffect(() => {
    reload();
    addEventListener("focus", reload);
    return () => removeEventListener("focus", reload);
  }, [reload]);
  const more = cursor ? () => void load(cursor, sandboxes ?? []) : undefined;
  return { sandboxes, more, failure, reload };
}
