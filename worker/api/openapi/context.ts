// The properties that all operations of a kind share: paths, names and types.
import { groupVersion } from "../../../shared/k8s/meta.ts";
import type { GroupVersionKind } from "../../../shared/schema/openapi/facts.ts";
import type { Kind } from "../../kinds/kind.ts";

export interface KindContext {
  readonly kind: Kind;
  /** The root path: `/apis/apps/v1`. */
  readonly root: string;
  /** The prefix of operation ids: `AppsV1`. */
  readonly prefix: string;
  /** The tag: `apps_v1`. */
  readonly tag: string;
  /** The kind in operation ids: `NamespacedDeployment`. */
  readonly scoped: string;
  readonly groupVersionKind: GroupVersionKind;
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
    groupVersionKind: { group, version, kind: kind.kind },
    listType: kind.custom
      ? kind.type.slice(0, kind.type.lastIndexOf(".") + 1) + kind.custom.listKind
      : `${kind.type}List`,
  };
}

export function rootPath(group: string, version: string): string {
  return `${group ? "/apis/" : "/api/"}${groupVersion(group, version)}`;
}

/** Returns the tag and the operation id prefix of a group version: `core_v1` and `CoreV1`. */
export function namesOf(group: string, version: string): Names {
  const { tag, prefix } = namesOfGroup(group);
  return { tag: `${tag}_${version}`, prefix: prefix + capital(version) };
}

/** Returns the names of a group: `rbacAuthorization` and `RbacAuthorization`. */
export function namesOfGroup(group: string): Names {
  const words = (group || "core").replace(/\.k8s\.io$/, "").split(/[.-]/);
  const name = words.map(capital).join("");
  return { tag: name.charAt(0).toLowerCase() + name.slice(1), prefix: name };
}

/** Adds an article: `a Pod`, `an Ingress`. A plural such as Endpoints has none. */
export function withArticle(kind: string): string {
  if (kind.endsWith("s") && !kind.endsWith("ss")) return kind;
  return `${/^[AEIOU]/.test(kind) ? "an" : "a"} ${kind}`;
}

export function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
