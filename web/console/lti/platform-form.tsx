// Forms that register a learning platform by hand, or change its name and deployments.
import { useState } from "preact/hooks";
import type { LtiPlatform, NewLtiPlatform } from "../../../shared/contract/hosted/lti.ts";
import type { Control } from "../../api/control.ts";
import { curlLine } from "../../api/lines.ts";
import { texts } from "../../messages/lti.ts";
import { CommandLine } from "../../parts/command-line.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
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
  const form = useSubmit(async () => onSaved(await registerPlatform(control, input)), [...fields, "deployments"]);
  return (
    <FormDialog title={texts.createTitle} close={close} form={form} action={texts.register} doing={texts.registering}>
      {fields.map((field) => (
        <TextField
          key={field}
          label={texts[field]}
          hint={hints[field] ?? ""}
          value={registration[field]}
          change={(value) => setGiven({ ...registration, [field]: value })}
          error={form.errorOf(field)}
        />
      ))}
      <DeploymentsField {...form.bind("deployments", deployments, setDeployments)} />
      <CommandLine line={curlLine("POST", platformsPath, input)} />
    </FormDialog>
  );
}

export function ChangeForm({ control, close, onSaved, platform }: Props & { readonly platform: LtiPlatform }) {
  const [name, setName] = useState(platform.name);
  const [deployments, setDeployments] = useState(platform.deployments.join("\n"));
  const change = { name, deployments: wordsOf(deployments) };
  const form = useSubmit(
    async () => onSaved(await changePlatform(control, platform.id, change)),
    ["name", "deployments"],
  );
  return (
    <FormDialog title={texts.changeTitle} close={close} form={form} action={texts.change} doing={texts.changing}>
      <TextField label={texts.name} {...form.bind("name", name, setName)} />
      <DeploymentsField {...form.bind("deployments", deployments, setDeployments)} />
      <CommandLine line={curlLine("PATCH", platformPath(platform.id), change)} />
    </FormDialog>
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
