// The snapshots of a sandbox: take, restore, fork, compare and delete.
import { useState } from "preact/hooks";
import { must } from "../../../shared/base/assert.ts";
import type { Snapshot } from "../../../shared/contract/snapshot.ts";
import type { States } from "../../api/states.ts";
import { may } from "../../api/session.ts";
import { go, sandboxPath } from "../../console/route.ts";
import { messages } from "../../messages.ts";
import { texts as sharing } from "../../messages/share.ts";
import { Age } from "../../parts/age.tsx";
import { Alert } from "../../parts/alert.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { useLoaded } from "../../parts/loaded.ts";
import { useSubmit } from "../../parts/submit.ts";
import { TextField } from "../../parts/text-field.tsx";
import { useLive } from "../../view/context.ts";
import { Command } from "../command.tsx";
import { showOutput } from "../command-output.tsx";
import { sandbarLine } from "./cli-line.ts";
import { ShareDialog } from "./share-dialog.tsx";
import { Table } from "../../parts/table.tsx";

const texts = messages.snapshots;

type SnapshotDialog =
  | { readonly what: "take" | "fork" }
  | { readonly what: "restore" | "remove" | "forkOf"; readonly snapshot: Snapshot };

export function SnapshotsPage() {
  const states = must(useLive().states, "the states of a sandbox of the console");
  const { value, failure, reload } = useLoaded(states.snapshots);
  const [openDialog, ask] = useState<SnapshotDialog>();
  const [isSharing, share] = useState(false);
  return (
    <section class="panel list" aria-label={messages.tabs.snapshots}>
      <div class="tools">
        <h2>{messages.tabs.snapshots}</h2>
        {may("snapshots:write") && (
          <button type="button" class="primary small" onClick={() => ask({ what: "take" })}>
            {texts.take}
          </button>
        )}
        {may("sandboxes:create") && may("sandboxes:connect") && (
          <button type="button" class="small" onClick={() => ask({ what: "fork" })}>
            {texts.fork}
          </button>
        )}
        {may("snapshots:write") && may("sandboxes:create") && may("sandboxes:connect") && (
          <button type="button" class="small" onClick={() => share(true)}>
            {sharing.open}
          </button>
        )}
      </div>
      {isSharing && (
        <ShareDialog
          states={states}
          close={() => {
            share(false);
            reload();
          }}
        />
      )}
      <Alert text={failure} />
      {value?.length === 0 && (
        <div class="empty teaching">
          <p>{texts.none}</p>
          <Command line={sandbarLine("snapshot", states.sandbox.name, { name: "before" })} />
        </div>
      )}
      {value && value.length > 0 && <Snapshots snapshots={value} ask={ask} />}
      {openDialog && (
        <StateDialog
          key={openDialog.what}
          dialog={openDialog}
          states={states}
          close={() => ask(undefined)}
          done={reload}
        />
      )}
    </section>
  );
}

function Snapshots({
  snapshots,
  ask,
}: {
  readonly snapshots: readonly Snapshot[];
  readonly ask: (dialog: SnapshotDialog) => void;
}) {
  const { place } = useLive();
  return (
    <Table
      isBare
      label={messages.tabs.snapshots}
      rows={snapshots}
      keyOf={({ id }) => id}
      nameOf={({ name }) => name}
      columns={[
        {
          name: texts.name,
          cell: ({ id, name }) => (
            <>
              {name} <code class="muted">{id}</code>
            </>
          ),
          sortBy: ({ name }) => name,
        },
        { name: texts.note, cell: ({ note }) => note },
        { name: texts.objects, cell: ({ objects }) => objects, sortBy: ({ objects }) => objects },
        {
          name: texts.age,
          cell: ({ createdAt }) => <Age time={createdAt} usesServiceClock />,
          sortBy: ({ createdAt }) => createdAt,
        },
        {
          name: texts.actions,
          form: "actions",
          cell: (snapshot) => (
            <>
              <button
                type="button"
                class="quiet small"
                onClick={() => place.go({ tab: "history", from: snapshot.id, to: "now" })}
              >
                {texts.compare}
              </button>
              {may("sandboxes:create") && (
                <button type="button" class="quiet small" onClick={() => ask({ what: "forkOf", snapshot })}>
                  {texts.forkOf}
                </button>
              )}
              {may("sandboxes:write") && (
                <button type="button" class="quiet small" onClick={() => ask({ what: "restore", snapshot })}>
                  {texts.restore}
                </button>
              )}
              {may("snapshots:delete") && (
                <button type="button" class="quiet small danger" onClick={() => ask({ what: "remove", snapshot })}>
                  {texts.remove}
                </button>
              )}
            </>
          ),
        },
      ]}
    />
  );
}

interface DialogProps {
  readonly dialog: SnapshotDialog;
  readonly states: States;
  readonly close: () => void;
  readonly done: () => void;
}

function StateDialog({ dialog, states, close, done }: DialogProps) {
  const [name, setName] = useState("");
  const [note, setNote] = useState("");
  const { title, button, doing, means } = texts.of[dialog.what];
  const line = lineFor(dialog, states.sandbox.name, name, note);
  const form = useSubmit(async () => {
    await perform(dialog, states, name, note);
    showOutput(line, title);
    close();
    done();
  }, ["name", "note"]);
  const isDangerous = dialog.what === "restore" || dialog.what === "remove";
  return (
    <FormDialog
      title={"snapshot" in dialog ? `${title}: ${dialog.snapshot.name}` : title}
      close={close}
      form={form}
      action={button}
      doing={doing}
      {...(isDangerous ? { cancelLabel: messages.common.cancel } : {})}
    >
      {means && <p class="lead-in">{means}</p>}
      {!isDangerous && <TextField label={texts.name} {...form.bind("name", name, setName)} />}
      {dialog.what === "take" && <TextField label={texts.note} {...form.bind("note", note, setNote)} />}
      <Command line={line} />
    </FormDialog>
  );
}

function lineFor(dialog: SnapshotDialog, sandbox: string, name: string, note: string): string {
  switch (dialog.what) {
    case "take":
      return sandbarLine("snapshot", sandbox, { name, note });
    case "fork":
      return sandbarLine("fork", sandbox, { name });
    case "forkOf":
      return sandbarLine("fork", sandbox, { snapshot: dialog.snapshot.id, name });
    case "restore":
      return sandbarLine("restore", sandbox, { snapshot: dialog.snapshot.id });
    case "remove":
      // The command line has no command that deletes a snapshot.
      return `curl -X DELETE -H "authorization: Bearer $SANDBAR_API_KEY" ${location.origin}/v1/snapshots/${dialog.snapshot.id}`;
  }
}

async function perform(dialog: SnapshotDialog, states: States, name: string, note: string): Promise<void> {
  const named = name ? { name } : {};
  switch (dialog.what) {
    case "take":
      await states.take({ ...named, ...(note ? { note } : {}) });
      return;
    case "fork":
      return go(sandboxPath((await states.fork(named)).id));
    case "forkOf":
      return go(sandboxPath((await states.fork({ ...named, snapshot: dialog.snapshot.id })).id));
    case "restore":
      return states.restore({ snapshot: dialog.snapshot.id });
    case "remove":
      return states.remove(dialog.snapshot.id);
  }
}
