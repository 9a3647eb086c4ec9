// Single sign-on by the organisation's identity provider, and the provisioning of its members by SCIM.
import { useCallback } from "preact/hooks";
import type { ShownSso } from "../../../shared/contract/hosted/identity.ts";
import type { Key } from "../../../shared/contract/key.ts";
import type { Control } from "../../api/control.ts";
import { curlLine } from "../../api/lines.ts";
import { may } from "../../api/session.ts";
import { texts } from "../../messages/sign-on.ts";
import { Age } from "../../parts/age.tsx";
import { Alert } from "../../parts/alert.tsx";
import { CommandLine } from "../../parts/command-line.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { useLoaded } from "../../parts/loaded.ts";
import { go, pathTo } from "../route.ts";
import { linesOfGroupRoles } from "./group-roles.ts";
import { endSso, readSso, scimTokens, ssoPath, usualAddresses } from "./sso-api.ts";
import { SsoForm } from "./sso-form.tsx";
import { TokenDialog } from "./token-dialog.tsx";

interface Props {
  readonly control: Control;
  readonly segments: readonly string[];
}

const page = "sign-on";
const dialogPath = (dialog: "provider" | "end" | "token") => pathTo(page, [dialog]);

export function SignOnPage({ control, segments: [open] }: Props) {
  const read = useCallback(async () => {
    const [sso, keys] = await Promise.all([readSso(control), may("keys:read") ? control.keys() : undefined]);
    return { sso, tokens: scimTokens(keys?.keys ?? []) };
  }, [control]);
  const { value, failure, reload } = useLoaded(read);
  const mayWrite = may("tenant:write");
  // A dialog that is closed by a link to another page must not lead back.
  const close = () => location.hash.startsWith(pathTo(page)) && go(pathTo(page));
  const done = () => {
    reload();
    close();
  };
  return (
    <>
      <div class="titled page">
        <h1>{texts.title}</h1>
        {value && mayWrite && <Actions sso={value.sso} />}
      </div>
      <Alert text={failure} />
      {value && !value.sso && (
        <p class="panel empty">
          {texts.none} {!mayWrite && texts.onlyOwners}
        </p>
      )}
      {value?.sso && <Provider sso={value.sso} />}
      {value && <Registration sso={value.sso} />}
      {value && may("members:write") && <Provisioning sso={value.sso} tokens={value.tokens} />}
      <CommandLine line={curlLine("GET", ssoPath)} />
      {value && mayWrite && open === "provider" && (
        <SsoForm control={control} sso={value.sso} close={close} saved={done} />
      )}
      {value?.sso && mayWrite && open === "end" && (
        <ConfirmDialog
          title={texts.endTitle}
          action={texts.end}
          doing={texts.ending}
          line={curlLine("DELETE", ssoPath)}
          run={async () => {
            await endSso(control);
            reload();
          }}
          close={close}
        >
          <p>{texts.endMeans}</p>
        </ConfirmDialog>
      )}
      {mayMakeTokens() && open === "token" && <TokenDialog control={control} close={done} />}
    </>
  );
}

/** A user may create a key only with permissions of their own. */
function mayMakeTokens(): boolean {
  return may("keys:write") && may("members:read") && may("members:write");
}

function Actions({ sso }: { readonly sso: ShownSso | undefined }) {
  if (!sso) {
    return (
      <a class="button primary" href={dialogPath("provider")}>
        {texts.setUp}
      </a>
    );
  }
  return (
    <div class="actions">
      <a class="button" href={dialogPath("provider")}>
        {texts.change}
      </a>
      <a class="button danger" href={dialogPath("end")}>
        {texts.end}
      </a>
    </div>
  );
}

function Provider({ sso }: { readonly sso: ShownSso }) {
  const { issuer, clientId, hasClientSecret, role, joins, domains, groupRoles } = sso;
  return (
    <section class="panel padded wide" aria-label={texts.provider}>
      <h2>{texts.provider}</h2>
      <dl class="pairs">
        <dt>{texts.issuer}</dt>
        <dd>
          <code>{issuer}</code>
        </dd>
        <dt>{texts.clientId}</dt>
        <dd>
          <code>{clientId}</code>
        </dd>
        <dt>{texts.clientSecret}</dt>
        <dd>{hasClientSecret ? texts.hasSecret : texts.noSecret}</dd>
        <dt>{texts.role}</dt>
        <dd>{role}</dd>
        <dt>{texts.people}</dt>
        <dd>{joins ? texts.joinsAll : texts.joinsNot}</dd>
        <dt>{texts.domains}</dt>
        <dd>{texts.list(domains) || texts.anyDomain}</dd>
        <dt>{texts.groupRoles}</dt>
        <dd>{texts.list(linesOfGroupRoles(groupRoles)) || texts.noGroupRoles}</dd>
      </dl>
    </section>
  );
}

/** The addresses that the provider needs, which are known before it is set. */
function Registration({ sso }: { readonly sso: ShownSso | undefined }) {
  return (
    <section class="panel padded wide" aria-label={texts.register}>
      <h2>{texts.register}</h2>
      <dl class="pairs">
        <Address name={texts.redirectUri} url={sso?.redirectUri ?? usualAddresses.redirectUri} />
        {sso && <Address name={texts.signInUrl} url={sso.signInUrl} />}
      </dl>
    </section>
  );
}

function Address({ name, url }: { readonly name: string; readonly url: string }) {
  return (
    <>
      <dt>{name}</dt>
      <dd class="pair">
        <code>{url}</code>
        <CopyButton class="quiet small" label={texts.copy} about={name} text={() => url} file="address.txt" />
      </dd>
    </>
  );
}

interface ProvisioningProps {
  readonly sso: ShownSso | undefined;
  readonly tokens: readonly Key[];
}

function Provisioning({ sso, tokens }: ProvisioningProps) {
  return (
    <section class="panel padded wide" aria-label={texts.scim}>
      <h2>{texts.scim}</h2>
      <p class="hint">{texts.scimMeans}</p>
      <dl class="pairs">
        <Address name={texts.scimUrl} url={sso?.scimUrl ?? usualAddresses.scimUrl} />
        <dt>{texts.tokens}</dt>
        <dd>
          {tokens.length === 0 && texts.noTokens}
          {tokens.map(({ id, name, lastUsedAt }) => (
            <div key={id}>
              {name}{" "}
              <span class="muted">
                {lastUsedAt ? (
                  <>
                    {texts.lastUsed} <Age time={lastUsedAt} usesServiceClock /> {texts.ago}
                  </>
                ) : (
                  texts.neverUsed
                )}
              </span>
            </div>
          ))}
        </dd>
      </dl>
      <div class="actions">
        {mayMakeTokens() && (
          <a class="button" href={dialogPath("token")}>
            {texts.createToken}
          </a>
        )}
        <a class="button quiet" href={pathTo("keys")}>
          {texts.allKeys}
        </a>
      </div>
    </section>
  );
}
