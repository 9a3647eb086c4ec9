// Images of which somebody says that they are there: the sandbox's setting, an annotation of the namespace, or credentials for Docker Hub.
import { bytesOfBase64 } from "../../../shared/base/base64.ts";
import { textOfBytes } from "../../../shared/base/byte-text.ts";
import { limits } from "../../../shared/base/limits.ts";
import type { Images } from "../../../shared/contract/sandbox.ts";
import type { Pod, Secret } from "../../../shared/k8s/api/core-v1.ts";
import { isObject } from "../../../shared/schema/json-values.ts";
import { namespaces } from "../../kinds/core/namespace.ts";
import { secrets } from "../../kinds/core/secret.ts";
import type { ReconcileContext } from "../../runtime/controller.ts";
import { hub, type ImageReference } from "./reference.ts";

type Client = ReconcileContext["client"];

/** Whether a pod's image is there although no catalogue knows it. */
export type Trusts = (pod: Pod, reference: ImageReference) => boolean;

/** On a namespace: `any`, or the beginnings of names, with commas between them. */
export const imagesAnnotation = "sandbar.dev/images";

export function trustOf(client: Client, images: Images = "strict"): Trusts {
  return ({ metadata: { namespace = "" }, spec }, reference) => {
    if (saysSo(images, reference)) return true;
    const said = client.get(namespaces, "", namespace)?.metadata.annotations?.[imagesAnnotation];
    if (said !== undefined && saysSo(said === "any" ? said : said.split(","), reference)) return true;
    return (spec.imagePullSecrets ?? []).some(
      ({ name = "" }) => reference.name.startsWith(`${hub}/`) && opensHub(client.get(secrets, namespace, name)),
    );
  };
}

function saysSo(images: Images, { name }: ImageReference): boolean {
  if (typeof images === "string") return images === "any";
  return images.some((given) => {
    if (typeof given === "object") return false;
    const beginning = normalized(given.trim());
    return beginning !== "" && (name === beginning || name.startsWith(`${beginning}/`));
  });
}

/** As image names are: without a host it is Docker Hub's. */
function normalized(given: string): string {
  const bare = given.replace(/\/$/, "");
  const [first = ""] = bare.split("/");
  return bare === "" || /[.:]/.test(first) || first === "localhost" ? bare : `${hub}/${bare}`;
}

/** Whether a pull secret has credentials for Docker Hub. Who has any is taken to see what they ask for. */
function opensHub(secret: Secret | undefined): boolean {
  const found = secret?.data?.[".dockerconfigjson"] ?? secret?.data?.[".dockercfg"];
  if (found === undefined || found.length > limits.pullSecretCharacters) return false;
  const config = parsed(textOfBytes(bytesOfBase64(found)));
  const auths = isObject(config) ? (config["auths"] ?? config) : undefined;
  return (
    isObject(auths) && Object.keys(auths).some((host) => /^(https?:\/\/)?([a-z0-9-]+\.)?docker\.io(\/|$)/.test(host))
  );
}

/** Whoever made the secret may have written anything. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
