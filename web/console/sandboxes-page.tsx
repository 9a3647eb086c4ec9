// The list of all sandboxes with its search and filters, actions on several, and the form of a new one.
import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { ListedSandbox } from "../../shared/contract/sandbox.ts";
import type { Control } from "../api/control.ts";
import { may } from "../api/session.ts";
import { sandbarLine } from "../api/lines.ts";
import { CommandLine } from "../parts/command-line.tsx";
import { Loading } from "../parts/loading.tsx";
import { MoreButton } from "../parts/more-button.tsx";
import { CreateDialog } from "./create-dialog.tsx";
import { DeleteDialog } from "./delete-dialog.tsx";
import { DeleteSeveralDialog } from "./delete-several-dialog.tsx";
import { EmbedDialog } from "./embed-dialog.tsx";
import { onDemand } from "../parts/on-demand.tsx";
import { become, type CreationDialog, go, importPath, newSandboxPath, pathTo, sandboxPath } from "./route.ts";
import { SandboxFilters } from "./sandbox-filters.tsx";
import { type SandboxQuery, matchingSandboxes, queryOf, textOfQuery } from "./sandbox-query.ts";
import { SandboxTable } from "./sandbox-table.tsx";
import { useAllSandboxes } from "./use-all-sandboxes.ts";
import { texts as all } from "../messages/console.ts";

const texts = all.sandboxesPage;

const ImportDialog = onDemand(async () => (await import("./moving/import-dialog.tsx")).ImportDialog);

type SandboxDialog =
  | { readonly what: "delete" | "embed"; readonly sandbox: ListedSandbox }
  | { readonly what: "delete several"; readonly sandboxes: readonly ListedSandbox[] };

interface Props {
  readonly control: Control;
  readonly dialog: CreationDialog | undefined;
  /** The search and filters in the page's address. */
  readonly address: URLSearchParams;
}

export function SandboxesPage({ control, dialog, address }: Props) {
  const { sandboxes, more, failure, reload } = useAllSandboxes(control);
  const [openDialog, ask] = useState<SandboxDialog>();
  // Another client may have created or deleted one.
  useEffect(() => {
    addEventListener("focus", reload);
    return () => removeEventListener("focus", reload);
  }, [reload]);
  return (
    <>
      <div class="titled page">
        <h1>{texts.sandboxes}</h1>
        {may("sandboxes:create") && (
          <div class="actions">
            <button type="button" onClick={() => go(importPath)}>
              {texts.importCluster}
            </button>
            <button type="button" class="primary" onClick={() => go(newSandboxPath)}>
              {texts.newSandbox}
            </button>
          </div>
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
      {!sandboxes && !failure && <Loading rows={6} />}
      {sandboxes?.length === 0 && (
        <p class="panel empty">
          {texts.none} <a href={pathTo("templates")}>{texts.fromTemplate}</a>.
        </p>
      )}
      {sandboxes && sandboxes.length > 0 && (
        <Narrowed control={control} sandboxes={sandboxes} query={queryOf(address)} ask={ask} />
      )}
      <CommandLine label={texts.all} line={sandbarLine("list")} />
      {may("sandboxes:connect") && (
        <CommandLine label={texts.kubeconfig} line={`${sandbarLine("kubeconfig", "SANDBOX")} > kubeconfig`} />
      )}
      <MoreButton more={more} />
      {dialog === "import" && may("sandboxes:create") && (
        <ImportDialog control={control} close={() => go("#/")} created={({ id }) => go(sandboxPath(id))} />
      )}
      {dialog === "new" && may("sandboxes:create") && (
        <CreateDialog control={control} close={() => go("#/")} created={({ id }) => go(sandboxPath(id))} />
      )}
      {openDialog && <Dialogs control={control} dialog={openDialog} close={() => ask(undefined)} changed={reload} />}
    </>
  );
}

interface NarrowedProps {
  readonly control: Control;
  readonly sandboxes: readonly ListedSandbox[];
  readonly query: SandboxQuery;
  readonly ask: (dialog: SandboxDialog) => void;
}

/** The sandboxes that the search and the filters leave. */
function Narrowed({ control, sandboxes, query, ask }: NarrowedProps) {
  const selectedIds = useSignal<ReadonlySet<string>>(new Set());
  const view = textOfQuery(query);
  const visibleSandboxes = useMemo(() => matchingSandboxes(sandboxes, query), [sandboxes, view]);
  const selection = visibleSandboxes.filter(({ id }) => selectedIds.value.has(id));
  const change = (next: SandboxQuery) => become(`#/${textOfQuery(next)}`);
  return (
    <>
      <SandboxFilters
        sandboxes={sandboxes}
        shownCount={visibleSandboxes.length}
        query={query}
        change={change}
        selectedCount={selection.length}
        clear={() => {
          selectedIds.value = new Set();
        }}
        remove={() => ask({ what: "delete several", sandboxes: selection })}
      />
      {visibleSandboxes.length === 0 && (
        <p class="panel empty">
          {texts.noneMatches}{" "}
          <button type="button" class="quiet" onClick={() => change({})}>
            {texts.clearFilters}
          </button>
        </p>
      )}
      {visibleSandboxes.length > 0 && (
        <SandboxTable control={control} sandboxes={visibleSandboxes} selectedIds={selectedIds} view={view} ask={ask} />
      )}
    </>
  );
}

interface DialogsProps {
  readonly control: Control;
  readonly dialog: SandboxDialog;
  readonly close: () => void;
  readonly changed: () => void;
}

function Dialogs({ control, dialog, close, changed }: DialogsProps) {
  if (dialog.what === "delete several")
    return <DeleteSeveralDialog control={control} sandboxes={dialog.sandboxes} close={close} deleted={changed} />;
  const { sandbox } = dialog;
  if (dialog.what === "embed") return <EmbedDialog control={control} sandbox={sandbox} close={close} />;
  return <DeleteDialog control={control} sandbox={sandbox} close={close} deleted={changed} />;
}
