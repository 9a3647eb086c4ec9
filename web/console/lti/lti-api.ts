// Requests to the control API from the pages about learning platforms.
import type { LtiPlatform, LtiRegistration, LtiTool, NewLtiPlatform } from "../../../shared/contract/hosted/lti.ts";
import type { DeliveryList } from "../../../shared/contract/hosted/webhook.ts";
import { type Control, posting, sending } from "../../api/control.ts";

export const platformsPath = "/v1/lti/platforms";
export const registrationsPath = "/v1/lti/registrations";

export const platformPath = (id: string) => `${platformsPath}/${encodeURIComponent(id)}`;

// The response conforms to the contract of the API.
export async function ltiTool({ ask }: Control): Promise<LtiTool> {
  return (await ask("/v1/lti/tool")).json() as Promise<LtiTool>;
}

export async function listPlatforms({ ask }: Control): Promise<readonly LtiPlatform[]> {
  return ((await (await ask(platformsPath)).json()) as { readonly platforms: LtiPlatform[] }).platforms;
}

export async function registerPlatform({ ask }: Control, input: NewLtiPlatform): Promise<LtiPlatform> {
  return (await ask(platformsPath, posting(input))).json() as Promise<LtiPlatform>;
}

export async function changePlatform(
  { ask }: Control,
  id: string,
  change: Pick<LtiPlatform, "name" | "deployments">,
): Promise<LtiPlatform> {
  return (await ask(platformPath(id), sending("PATCH", change))).json() as Promise<LtiPlatform>;
}

export async function removePlatform({ ask }: Control, id: string): Promise<void> {
  await ask(platformPath(id), { method: "DELETE" });
}

export async function registrationLink({ ask }: Control): Promise<LtiRegistration> {
  return (await ask(registrationsPath, posting({}))).json() as Promise<LtiRegistration>;
}

export async function listScores({ ask }: Control, id: string): Promise<DeliveryList> {
  return (await ask(`${platformPath(id)}/scores`)).json() as Promise<DeliveryList>;
}
