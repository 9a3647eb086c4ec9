// The form of the organisation's identity provider.
import { useState } from "preact/hooks";
import type { PutSso, ShownSso } from "../../../shared/contract/hosted/identity.ts";
import { type Role, roles } from "../../../shared/contract/scope.ts";
import type { Control } from "../../api/control.ts";
import { curlLine } from "../../api/lines.ts";
import { texts } from "../../messages/sign-on.ts";
import { ChoiceField } from "../../parts/choice-field.tsx";
import { CommandLine } from "../../parts/command-line.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { useSubmit } from "../../parts/submit.ts";
import { CodeField, SecretField, TextField } from "../../parts/text-field.tsx";
import { wordsOf } from "../../parts/words.ts";
import { groupRolesOf, linesOfGroupRoles } from "./group-roles.ts";
import { saveSso, ssoPath } from "./sso-api.ts";

interface Props {
  readonly control: Control;
  readonly sso: ShownSso | undefined;
  readonly close: () => void;
  readonly saved: () => void;
}

const fields = ["issuer", "clientId", "clientSecret", "role", "domains", "groupRoles"] as const;

export function SsoForm({ control, sso, close, saved }: Props) {
  const [issuer, setIssuer] = useState(sso?.issuer ?? "");
  const [clientId, setClientId] = useState(sso?.clientId ?? "");
  const [clientSecret, setClientSecret] = useState("");
  const [role, setRole] = useState<Role>(sso?.role ?? "member");
  const [joins, setJoins] = useState(sso?.joins ?? true);
  const [domains, setDomains] = useState(sso?.domains.join("\n") ?? "");
  const [groupRoles, setGroupRoles] = useState(linesOfGroupRoles(sso?.groupRoles ?? {}).join("\n"));
  const input: PutSso = {
    issuer: issuer.trim(),
    clientId: clientId.trim(),
    role,
    joins,
    domains: wordsOf(domains),
    groupRoles: groupRolesOf(groupRoles),
  };
  // The service drops the secret with its client.
  const keepsSecret = sso?.hasClientSecret && sso.issuer === input.issuer && sso.clientId === input.clientId;
  const form = useSubmit(async () => {
    await saveSso(control, clientSecret === "" ? input : { ...input, clientSecret });
    saved();
  }, fields);
  const { bind } = form;
  return (
    <FormDialog title={texts.formTitle} close={close} form={form} action={texts.save} doing={texts.saving}>
      <TextField label={texts.issuer} hint={texts.issuerHint} {...bind("issuer", issuer, setIssuer)} />
      <TextField label={texts.clientId} {...bind("clientId", clientId, setClientId)} />
      <SecretField
        label={texts.clientSecret}
        autoComplete="new-password"
        hint={keepsSecret ? texts.secretKept : texts.secretHint}
        {...bind("clientSecret", clientSecret, setClientSecret)}
      />
      <ChoiceField
        label={texts.role}
        hint={texts.roleHint}
        choices={roles.map((name) => [name, name])}
        {...bind<string>("role", role, (text) => setRole(roles.find((name) => name === text) ?? role))}
      />
      <label class="check">
        <input type="checkbox" checked={joins} onChange={() => setJoins(!joins)} /> {texts.joins}
      </label>
      <CodeField label={texts.domains} hint={texts.domainsHint} rows={2} {...bind("domains", domains, setDomains)} />
      <CodeField
        label={texts.groupRoles}
        hint={texts.groupRolesHint}
        rows={2}
        {...bind("groupRoles", groupRoles, setGroupRoles)}
      />
      <CommandLine
        line={curlLine("PUT", ssoPath, clientSecret === "" ? input : { ...input, clientSecret: "SECRET" })}
      />
    </FormDialog>
  );
}
