// The organisation: its name, the origins whose pages may call the API for it, and its deletion.
import { useCallback, useState } from "preact/hooks";
import type { Tenant } from "../../shared/contract/tenant.ts";
import type { Control } from "../api/control.ts";
import { curlLine, sandbarLine } from "../api/lines.ts";
import { becomes, may, me } from "../api/session.ts";
import { Age } from "../parts/age.tsx";
import { Alert } from "../parts/alert.tsx";
import { CommandLine } from "../parts/command-line.tsx";
import { ConfirmDialog } from "../parts/confirm-dialog.tsx";
import { DownloadButton } from "../parts/download-button.tsx";
import { useLoaded } from "../parts/loaded.ts";
import { useSubmit } from "../parts/submit.ts";
import { CodeField, TextField } from "../parts/text-field.tsx";
import { go, pathTo } from "./route.ts";
import { texts as all } from "../messages/account.ts";

const texts = all.organisationPage;

interface Props {
  readonly control: Control;
  readonly segments: readonly string[];
}

const ownPath = "/v1/tenant";

export function OrganisationPage({ control, segments: [open] }: Props) {
  const read = useCallback(() => control.tenant(), [control]);
  const { value: tenant, failure, reload } = useLoaded(read);
  const close = () => go(pathTo("organisation"));
  return (
    <>
      <div class="titled page">
        <div>
          <h1>{tenant?.name ?? texts.organisation}</h1>
          {tenant && (
            <p class="facts">
              <code>{tenant.id}</code>
              <span>
                <Age time={tenant.createdAt} /> {texts.old}
              </span>
            </p>
          )}
        </div>
      </div>
      <Alert text={failure} />
      {tenant && may("tenant:write") && <Settings key={tenant.id} control={control} tenant={tenant} changed={reload} />}
      {tenant && !may("tenant:write") && <Shown tenant={tenant} />}
      <CommandLine label={texts.asItIs} line={curlLine("GET", ownPath)} />
      {tenant && may("tenant:export") && (
        <section class="panel padded">
          <h2>{texts.exportTitle}</h2>
          <p>{texts.exportMeans}</p>
          <DownloadButton
            control={control}
            label={texts.download}
            path={`${ownPath}/export`}
            file={`${tenant.id}.tar`}
          />
          <CommandLine line={sandbarLine("export-organisation", "-o", `${tenant.id}.tar`)} />
        </section>
      )}
      {may("tenant:delete") && (
        <section class="panel padded">
          <h2>{texts.deleteTheOrganisation}</h2>
          <p>{texts.deletionMeans}</p>
          <a class="button danger" href={pathTo("organisation", ["delete"])}>
            {texts.openDeletion}
          </a>
        </section>
      )}
      {tenant && open === "delete" && may("tenant:delete") && (
        <ConfirmDialog
          title={texts.deletionTitle(tenant.name)}
          action={texts.deleteOrganisation}
          doing={texts.deleting}
          line={curlLine("DELETE", ownPath)}
          run={async () => {
            await control.deleteTenant();
            go("#/");
            // Without the organisation its key is invalid, which is reported like any other invalid key.
            becomes(await control.me());
          }}
          close={() => location.hash === pathTo("organisation", ["delete"]) && close()}
        >
          <p>{texts.deletionWarning}</p>
        </ConfirmDialog>
      )}
    </>
  );
}

function Shown({ tenant }: { readonly tenant: Tenant }) {
  const { allowedOrigins } = tenant;
  return (
    <dl class="panel pairs">
      <dt>{texts.allowedOrigins}</dt>
      <dd>{allowedOrigins.length > 0 ? allowedOrigins.join(", ") : texts.none}</dd>
    </dl>
  );
}

interface SettingsProps {
  readonly control: Control;
  readonly tenant: Tenant;
  readonly changed: () => void;
}

function Settings({ control, tenant, changed }: SettingsProps) {
  const [name, setName] = useState(tenant.name);
  const [origins, setOrigins] = useState(tenant.allowedOrigins.join("\n"));
  const input = { name, allowedOrigins: origins.split(/[\s,]+/).filter(Boolean) };
  const { submit, busy, bind, failure } = useSubmit(async () => {
    await control.changeTenant(input);
    if (me.value?.tenant) becomes(await control.me());
    changed();
  }, ["name", "allowedOrigins"]);
  return (
    <section class="panel padded wide">
      <form noValidate onSubmit={submit}>
        <TextField label={texts.name} {...bind("name", name, setName)} />
        <CodeField
          label={texts.allowedOrigins}
          hint={texts.originsHint}
          rows={3}
          {...bind("allowedOrigins", origins, setOrigins)}
        />
        <CommandLine line={curlLine("PATCH", ownPath, input)} />
        <Alert text={failure} />
        <footer>
          <button type="submit" class="primary" disabled={busy}>
            {busy ? texts.saving : texts.save}
          </button>
        </footer>
      </form>
    </section>
  );
}
