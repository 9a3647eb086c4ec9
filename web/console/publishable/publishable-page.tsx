// The publishable keys, and one key with the limits of its visitors and the code to paste into a page. The address says which one is open.
import { useCallback, useState } from "preact/hooks";
import type { PublishableKey } from "../../../shared/contract/hosted/publishable-key.ts";
import type { Control } from "../../api/control.ts";
import { curlLine } from "../../api/lines.ts";
import { may } from "../../api/session.ts";
import { texts } from "../../messages/publishable.ts";
import { Age } from "../../parts/age.tsx";
import { Alert } from "../../parts/alert.tsx";
import { CommandLine } from "../../parts/command-line.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { useLoaded } from "../../parts/loaded.ts";
import { secondsText } from "../../parts/numbers.ts";
import { go, pathTo } from "../route.ts";
import { keyPath, keysPath, listPublishable, revokePublishable } from "./publishable-api.ts";
import { PublishableForm } from "./publishable-form.tsx";
import { frameSnippet, scriptSnippet } from "./snippet.ts";
import { Table } from "../../parts/table.tsx";

interface Props {
  readonly control: Control;
  readonly segments: readonly string[];
}

const page = "publishable-keys";

export function PublishablePage({ control, segments: [open] }: Props) {
  const read = useCallback(() => listPublishable(control), [control]);
  const { value, failure, reload } = useLoaded(read);
  const keys = value?.publishableKeys;
  const mayMake = mayMakeKeys();
  const openKey = keys?.find(({ key }) => key === open);
  if (open !== undefined && open !== "new") {
    return (
      <KeyPage
        publishableKey={openKey}
        isRead={keys !== undefined}
        failure={failure}
        revoke={async (key) => {
          await revokePublishable(control, key);
          reload();
          go(pathTo(page));
        }}
      />
    );
  }
  return (
    <>
      <div class="titled page">
        <h1>{texts.title}</h1>
        {mayMake && (
          <a class="button primary" href={pathTo(page, ["new"])}>
            {texts.create}
          </a>
        )}
      </div>
      <Alert text={failure} />
      {keys?.length === 0 && (
        <p class="panel empty">
          {texts.none} {!mayMake && texts.madeBy}
        </p>
      )}
      {keys && keys.length > 0 && <KeyTable keys={keys} />}
      <CommandLine line={curlLine("GET", keysPath)} />
      {open === "new" && mayMake && (
        <PublishableForm
          control={control}
          close={() => go(pathTo(page))}
          onCreated={({ key }) => {
            reload();
            go(pathTo(page, [key]));
          }}
        />
      )}
    </>
  );
}

/** A user may create a key only with all permissions that its visitors get, as the API requires. */
function mayMakeKeys(): boolean {
  return may("keys:write") && may("sandboxes:create") && (may("templates:read") || may("lessons:write"));
}

function offersOf({ templates, lessons }: PublishableKey): string {
  return texts.list([...templates, ...lessons.map(texts.lesson)]);
}

function KeyTable({ keys }: { readonly keys: readonly PublishableKey[] }) {
  return (
    <Table
      label={texts.title}
      rows={keys}
      keyOf={({ key }) => key}
      nameOf={({ name }) => name}
      columns={[
        {
          name: texts.name,
          cell: ({ key, name }) => <a href={pathTo(page, [key])}>{name}</a>,
          sortBy: ({ name }) => name,
        },
        { name: texts.origins, form: "wide", cell: ({ origins }) => texts.list(origins) },
        { name: texts.offers, form: "wide", cell: offersOf },
        { name: texts.age, cell: ({ createdAt }) => <Age time={createdAt} />, sortBy: ({ createdAt }) => createdAt },
      ]}
    />
  );
}

interface KeyPageProps {
  readonly publishableKey: PublishableKey | undefined;
  readonly isRead: boolean;
  readonly failure: string;
  readonly revoke: (key: string) => Promise<void>;
}

function KeyPage({ publishableKey, isRead, failure, revoke }: KeyPageProps) {
  const [isAsked, ask] = useState(false);
  return (
    <>
      <div class="titled page">
        <div>
          <h1>{publishableKey?.name ?? texts.title}</h1>
          <p class="facts">
            <a href={pathTo(page)}>{texts.all}</a>
          </p>
        </div>
        {publishableKey && may("keys:write") && (
          <button type="button" class="danger" onClick={() => ask(true)}>
            {texts.revoke}
          </button>
        )}
      </div>
      <Alert text={failure} />
      {isRead && !publishableKey && <p class="panel empty">{texts.noSuch}</p>}
      {publishableKey && <Facts publishableKey={publishableKey} />}
      {publishableKey && <Snippets publishableKey={publishableKey} />}
      {publishableKey && isAsked && (
        <ConfirmDialog
          title={texts.revokeOf(publishableKey.name)}
          action={texts.revokeKey}
          doing={texts.revoking}
          line={curlLine("DELETE", keyPath(publishableKey.key))}
          run={() => revoke(publishableKey.key)}
          close={() => ask(false)}
        >
          <p>{texts.revokeMeans}</p>
        </ConfirmDialog>
      )}
    </>
  );
}

function Facts({ publishableKey }: { readonly publishableKey: PublishableKey }) {
  const { key, origins, ttlSeconds, limits, createdAt } = publishableKey;
  const bounds = (["perVisitor", "atOnce", "perHour", "perAddress"] as const).map(
    (limitName) => [texts.limitOf[limitName], limits[limitName]] as const,
  );
  return (
    <dl class="panel pairs">
      <dt>{texts.key}</dt>
      <dd>
        <code>{key}</code>
      </dd>
      <dt>{texts.origins}</dt>
      <dd>{texts.list(origins)}</dd>
      <dt>{texts.offers}</dt>
      <dd>{offersOf(publishableKey)}</dd>
      <dt>{texts.lives}</dt>
      <dd>{secondsText(ttlSeconds)}</dd>
      {bounds.map(([text, most]) => (
        <>
          <dt>{text}</dt>
          <dd>{most}</dd>
        </>
      ))}
      <dt>{texts.made}</dt>
      <dd>
        <Age time={createdAt} /> {texts.ago}
      </dd>
    </dl>
  );
}

function Snippets({ publishableKey }: { readonly publishableKey: PublishableKey }) {
  return (
    <section class="panel">
      <Snippet
        label={texts.snippet}
        hint={texts.snippetHint}
        text={scriptSnippet(location.origin, publishableKey)}
        file="script.html"
      />
      <Snippet
        label={texts.frame}
        hint={texts.frameHint}
        text={frameSnippet(location.origin, publishableKey, texts.frameTitle)}
        file="frame.html"
      />
      <p class="hint inside">{texts.more}</p>
    </section>
  );
}

interface SnippetProps {
  readonly label: string;
  readonly hint: string;
  readonly text: string;
  readonly file: string;
}

function Snippet({ label, hint, text, file }: SnippetProps) {
  return (
    <>
      <div class="titled">
        <h2>{label}</h2>
        <CopyButton class="quiet" label={texts.copy} text={() => text} file={file} />
      </div>
      <p class="hint inside">{hint}</p>
      <pre class="code" tabIndex={0} aria-label={label}>
        {text}
      </pre>
    </>
  );
}
