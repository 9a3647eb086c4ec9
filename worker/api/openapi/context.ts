// What all operations of one kind share: its place, its names and its types.
import { groupVersion } from "../../../shared/k8s/meta.ts";
import type { GroupVersionKind } from "../../../shared/schema/openapi/facts.ts";
import type { Kind } from "../../kinds/kind.ts";

export interface KindContext {
  readonly kind: Kind;
  /** `/apis/apps/v1`. */
  readonly root: string;
  /** `AppsV1`. */
  readonly prefix: string;
  /** `apps_v1`. */
  readonly tag: string;
  /** `NamespacedDeployment`, as operation ids name it. */
  readonly scoped: string;
  readonly own: GroupVersionKind;
  readonly listType: string;
}

interface Names {
  readonly tag: string;
  readonly prefix: string;
}

export function contextOf(kind: Kind): KindContext {
  const { group, version } = kind;
  return {
    kind,
    root: rootPath(group, version),
    ...namesOf(group, version),
    scoped: `${kind.namespaced ? "Namespaced" : ""}${kind.kind}`,
    own: { group, version, kind: kind.kind },
    listType: kind.custom
      ? kind.type.slice(0, kind.type.lastIndexOf(".") + 1) + kind.custom.listKind
      : `${kind.type}List`,
  };
}

export function rootPath(group: string, version: string): string {
  return `${group ? "/apis/" : "/api/"}${groupVersion(group, version)}`;
}

/** The tag and the operation ids' prefix of a group version: `core_v1` and `CoreV1`. */
export function namesOf(group: string, version: string): Names {
  const { tag, prefix } = namesOfGroup(group);
  return { tag: `${tag}_${version}`, prefix: prefix + capital(version) };
}

/** `rbacAuthorization` and `RbacAuthorization`. */
export function namesOfGroup(group: string): Names {
  const words = (group || "core").replace(/\.k8s\.io$/, "").split(/[.-]/);
  const name = words.map(capital).join("");
  return { tag: name.charAt(0).toLowerCase() + name.slice(1), prefix: name };
}

/** `a Pod`, `an Ingress`; a plural such as Endpoints has no article. */
export function withArticle(kind: string): string {
  if (kind.endsWith("s") && !kind.endsWith("ss")) return kind;
  return `${/^[AEIOU]/.test(kind) ? "an" : "a"} ${kind}`;
}

export function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
