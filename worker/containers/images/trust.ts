// Images that a user declared to exist: by the sandbox's setting, an annotation of the namespace, or credentials for Docker Hub.
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

/** Reports whether a pod's image is declared to exist although the catalogue does not have it. */
export type Trusts = (pod: Pod, reference: ImageReference) => boolean;

/** An annotation of a namespace: `any`, or prefixes of names, separated by commas. */
export const imagesAnnotation = "sandbar.dev/images";

export function trustOf(client: Client, images: Images = "strict"): Trusts {
  return ({ metadata: { namespace = "" }, spec }, reference) => {
    if (saysSo(images, reference)) return true;
    const declaration = client.get(namespaces, "", namespace)?.metadata.annotations?.[imagesAnnotation];
    if (declaration !== undefined && saysSo(declaration === "any" ? declaration : declaration.split(","), reference))
      return true;
    return (spec.imagePullSecrets ?? []).some(
      ({ name = "" }) => reference.name.startsWith(`${hub}/`) && opensHub(client.get(secrets, namespace, name)),
    );
  };
}

function saysSo(images: Images, { name }: ImageReference): boolean {
  if (typeof images === "string") return images === "any";
  return images.some((prefix) => {
    if (typeof prefix === "object") return false;
    const beginning = normalizePrefix(prefix.trim());
    return beginning !== "" && (name === beginning || name.startsWith(`${beginning}/`));
  });
}

/** Completes a prefix like an image name: without a host it belongs to Docker Hub. */
function normalizePrefix(prefix: string): string {
  const bare = prefix.replace(/\/$/, "");
  const [first = ""] = bare.split("/");
  return bare === "" || /[.:]/.test(first) || first === "localhost" ? bare : `${hub}/${bare}`;
}

/** Reports whether a pull secret has credentials for Docker Hub. They are assumed to be valid for the requested image. */
function opensHub(secret: Secret | undefined): boolean {
  const encodedConfig = secret?.data?.[".dockerconfigjson"] ?? secret?.data?.[".dockercfg"];
  if (encodedConfig === undefined || encodedConfig.length > limits.pullSecretCharacters) return false;
  const config = parseJson(textOfBytes(bytesOfBase64(encodedConfig)));
  const auths = isObject(config) ? (config["auths"] ?? config) : undefined;
  return (
    isObject(auths) && Object.keys(auths).some((host) => /^(https?:\/\/)?([a-z0-9-]+\.)?docker\.io(\/|$)/.test(host))
  );
}

/** Parses JSON that a user wrote. Returns undefined if it is invalid. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
