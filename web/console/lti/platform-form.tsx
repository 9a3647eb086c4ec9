// Forms that register a learning platform by hand, or change its name and deployments.
import { useState } from "preact/hooks";
import type { LtiPlatform, NewLtiPlatform } from "../../../shared/contract/hosted/lti.ts";
import type { Control } from "../../api/control.ts";
import { curlLine } from "../../api/lines.ts";
import { texts } from "../../messages/lti.ts";
import { CommandLine } from "../../parts/command-line.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { FormEnd } from "../../parts/form-end.tsx";
import { useSubmit } from "../../parts/submit.ts";
import { CodeField, TextField } from "../../parts/text-field.tsx";
import { wordsOf } from "../../parts/words.ts";
import { changePlatform, platformPath, platformsPath, registerPlatform } from "./lti-api.ts";

interface Props {
  readonly control: Control;
  readonly close: () => void;
  readonly onSaved: (platform: LtiPlatform) => void;
}

const fields = ["name", "issuer", "clientId", "authorizationUrl", "tokenUrl", "jwksUrl", "audience"] as const;
const hints: Partial<Record<(typeof fields)[number], string>> = {
  authorizationUrl: texts.authorizationUrlHint,
  audience: texts.audienceHint,
};

export function RegisterForm({ control, close, onSaved }: Props) {
  const [registration, setGiven] = useState({
    name: "",
    issuer: "",
    clientId: "",
    authorizationUrl: "",
    tokenUrl: "",
    jwksUrl: "",
    audience: "",
  });
  const [deployments, setDeployments] = useState("");
  const input: NewLtiPlatform = { ...registration, deployments: wordsOf(deployments) };
  const { submit, busy, errorOf, failure } = useSubmit(
    async () => onSaved(await registerPlatform(control, input)),
    [...fields, "deployments"],
  );
  return (
    <Dialog title={texts.createTitle} close={close}>
      <form noValidate onSubmit={submit}>
        {fields.map((field) => (
          <TextField
            key={field}
            label={texts[field]}
            hint={hints[field] ?? ""}
            value={registration[field]}
            change={(value) => setGiven({ ...registration, [field]: value })}
            error={errorOf(field)}
          />
        ))}
        <DeploymentsField value={deployments} change={setDeployments} error={errorOf("deployments")} />
        <CommandLine line={curlLine("POST", platformsPath, input)} />
        <FormEnd failure={failure} close={close} busy={busy} action={texts.register} doing={texts.registering} />
      </form>
    </Dialog>
  );
}

export function ChangeForm({ control, close, onSaved, platform }: Props & { readonly platform: LtiPlatform }) {
  const [name, setName] = useState(platform.name);
  const [deployments, setDeployments] = useState(platform.deployments.join("\n"));
  const change = { name, deployments: wordsOf(deployments) };
  const { submit, busy, errorOf, failure } = useSubmit(
    async () => onSaved(await changePlatform(control, platform.id, change)),
    ["name", "deployments"],
  );
  return (
    <Dialog title={texts.changeTitle} close={close}>
      <form noValidate onSubmit={submit}>
        <TextField label={texts.name} value={name} change={setName} error={errorOf("name")} />
        <DeploymentsField value={deployments} change={setDeployments} error={errorOf("deployments")} />
        <CommandLine line={curlLine("PATCH", platformPath(platform.id), change)} />
        <FormEnd failure={failure} close={close} busy={busy} action={texts.change} doing={texts.changing} />
      </form>
    </Dialog>
  );
}

interface DeploymentsProps {
  readonly value: string;
  readonly change: (value: string) => void;
  readonly error: string | undefined;
}

function DeploymentsField(props: DeploymentsProps) {
  return <CodeField rows={2} label={texts.deployments} hint={texts.deploymentsHint} {...props} />;
}
