// The API keys: their scopes and last use. Keys are created here, shown once, and revoked.
import { useCallback, useState } from "preact/hooks";
import type { Key } from "../../shared/contract/key.ts";
import { allScopes } from "../../shared/contract/scope.ts";
import type { Control } from "../api/control.ts";
import { sandbarLine } from "../api/lines.ts";
import { may } from "../api/session.ts";
import { Age, TimeLeft } from "../parts/age.tsx";
import { Alert } from "../parts/alert.tsx";
import { CommandLine } from "../parts/command-line.tsx";
import { ConfirmDialog } from "../parts/confirm-dialog.tsx";
import { useLoaded } from "../parts/loaded.ts";
import { KeyDialog } from "./key-dialog.tsx";
import { go, pathTo } from "./route.ts";
import { texts as all } from "../messages/account.ts";
import { Table } from "../parts/table.tsx";

const texts = all.keysPage;

interface Props {
  readonly control: Control;
  readonly segments: readonly string[];
}

export function KeysPage({ control, segments: [open] }: Props) {
  const loadKeys = useCallback(() => control.keys(), [control]);
  const { value, failure, reload } = useLoaded(loadKeys);
  const [keyToRevoke, setKeyToRevoke] = useState<Key>();
  return (
    <>
      <div class="titled page">
        <h1>{texts.apiKeys}</h1>
        {may("keys:write") && (
          <a class="button primary" href={pathTo("keys", ["new"])}>
            {texts.newKey}
          </a>
        )}
      </div>
      <Alert text={failure} />
      {value?.keys.length === 0 && (
        <p class="panel empty">
          {texts.none} <code>{texts.sandbar}</code>
          {texts.orCurl}
        </p>
      )}
      {value && value.keys.length > 0 && <KeyTable keys={value.keys} revoke={setKeyToRevoke} />}
      <CommandLine line={sandbarLine("keys")} />
      {open === "new" && may("keys:write") && (
        <KeyDialog
          control={control}
          close={() => {
            go(pathTo("keys"));
            reload();
          }}
        />
      )}
      {keyToRevoke && (
        <ConfirmDialog
          title={texts.revokeAsk(keyToRevoke.name)}
          action={texts.revokeKey}
          doing={texts.revoking}
          line={sandbarLine("revoke-key", keyToRevoke.id)}
          run={async () => {
            await control.revokeKey(keyToRevoke.id);
            reload();
          }}
          close={() => setKeyToRevoke(undefined)}
        >
          <p>{texts.revokeMeans}</p>
        </ConfirmDialog>
      )}
    </>
  );
}

function KeyTable({ keys, revoke }: { readonly keys: readonly Key[]; readonly revoke: (key: Key) => void }) {
  return (
    <Table
      label={texts.keys}
      rows={keys}
      keyOf={({ id }) => id}
      nameOf={({ name }) => name}
      columns={[
        { name: texts.name, cell: ({ name }) => name, sortBy: ({ name }) => name },
        {
          name: texts.may,
          form: "wide",
          cell: ({ scopes }) => (scopes.length === allScopes.length ? texts.everything : scopes.join(", ")),
        },
        { name: texts.age, cell: ({ createdAt }) => <Age time={createdAt} />, sortBy: ({ createdAt }) => createdAt },
        {
          name: texts.lastUsed,
          cell: ({ lastUsedAt }) => (lastUsedAt ? <Age time={lastUsedAt} /> : texts.never),
          sortBy: ({ lastUsedAt }) => lastUsedAt ?? "",
        },
        {
          name: texts.expiresIn,
          cell: ({ expiresAt }) => (expiresAt ? <TimeLeft time={expiresAt} /> : texts.never),
        },
        {
          name: texts.actions,
          form: "actions",
          cell: (key) =>
            may("keys:write") && (
              <button type="button" class="quiet danger" onClick={() => revoke(key)}>
                {texts.revoke}
                <span class="unseen"> {key.name}</span>
              </button>
            ),
        },
      ]}
    />
  );
}
