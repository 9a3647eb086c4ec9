// What the pages about publishable keys ask of the control API.
import type {
  CreatePublishableKey,
  PublishableKey,
  PublishableKeyList,
} from "../../../shared/contract/hosted/publishable-key.ts";
import { type Control, posting } from "../../api/control.ts";

export const keysPath = "/v1/publishable-keys";

export const keyPath = (key: string) => `${keysPath}/${encodeURIComponent(key)}`;

// The response conforms to the contract of the API.
export async function listPublishable({ ask }: Control): Promise<PublishableKeyList> {
  return (await ask(keysPath)).json() as Promise<PublishableKeyList>;
}

export async function createPublishable({ ask }: Control, input: CreatePublishableKey): Promise<PublishableKey> {
  return (await ask(keysPath, posting(input))).json() as Promise<PublishableKey>;
}

export async function revokePublishable({ ask }: Control, key: string): Promise<void> {
  await ask(keyPath(key), { method: "DELETE" });
}
