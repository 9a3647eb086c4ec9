// Builds the paths of a kind: its collection, its objects, their subresources and the legacy watch paths.
import type { Kind } from "../../kinds/kind.ts";
import { contextOf, type KindContext, withArticle } from "./context.ts";
import { metaType, type Operation, operation } from "./operations.ts";
import {
  deleteCollectionParameters,
  deleteParameters,
  listParameters,
  nameParameter,
  namespaceParameter,
  patchParameters,
  prettyParameter,
  writeParameters,
} from "./parameters.ts";
import { type PathItem, pathItem } from "./path-item.ts";
import { subresourcePaths } from "./subresources.ts";
import { untypedPath } from "./untyped.ts";

export function pathsOf(kind: Kind): Record<string, PathItem> {
  const context = contextOf(kind);
  const collection = kind.namespaced
    ? `${context.root}/namespaces/{namespace}/${kind.plural}`
    : `${context.root}/${kind.plural}`;
  const place = kind.namespaced ? [namespaceParameter] : [];
  const item = [...place, nameParameter(kind.kind)];
  const objects = `${collection}/{name}`;
  const old = (path: string) => path.replace(context.root, `${context.root}/watch`);
  const paths: Record<string, PathItem> = {
    [collection]: pathItem(collectionOperations(context), place),
    [objects]: pathItem(objectOperations(context), item),
  };
  if (kind.verbs.includes("list") && kind.namespaced) {
    paths[`${context.root}/${kind.plural}`] = pathItem({ get: listOperation(context, true) }, []);
  }
  // Custom kinds have no legacy watch paths.
  if (kind.verbs.includes("watch") && !kind.custom) {
    paths[old(collection)] = pathItem({ get: watchOperation(context, "List") }, place);
    paths[old(objects)] = pathItem({ get: watchOperation(context, "") }, item);
    if (kind.namespaced) {
      paths[`${context.root}/watch/${kind.plural}`] = pathItem({ get: watchOperation(context, "All") }, []);
    }
  }
  for (const [name, methods] of Object.entries(kind.subresources)) {
    Object.assign(paths, subresourcePaths(context, `${objects}/${name}`, name, methods, place));
  }
  const used = Object.entries(paths).filter(([, pathOperations]) =>
    Object.keys(pathOperations).some((key) => key !== "parameters"),
  );
  return Object.fromEntries(
    kind.custom
      ? used.map(([path, pathOperations]) => [path, untypedPath(pathOperations, context.groupVersionKind)])
      : used,
  );
}

function collectionOperations(context: KindContext): Record<string, Operation> {
  const { kind, prefix, scoped, groupVersionKind, tag } = context;
  const has = (verb: Kind["verbs"][number]) => kind.verbs.includes(verb);
  return {
    ...(has("list") ? { get: listOperation(context, false) } : {}),
    ...(has("create")
      ? {
          post: operation({
            description: `create ${withArticle(kind.kind)}`,
            operationId: `create${prefix}${scoped}`,
            parameters: [...writeParameters, prettyParameter],
            ...{
              tag,
              action: "post",
              kind: groupVersionKind,
              answers: kind.type,
              takes: kind.type,
              codes: [200, 201, 202],
            },
          }),
        }
      : {}),
    ...(has("deletecollection")
      ? {
          delete: operation({
            description: `delete collection of ${kind.kind}`,
            operationId: `delete${prefix}Collection${scoped}`,
            parameters: [...deleteCollectionParameters, prettyParameter],
            ...{
              tag,
              action: "deletecollection",
              kind: groupVersionKind,
              answers: metaType("Status"),
              takes: metaType("DeleteOptions"),
            },
          }),
        }
      : {}),
  };
}

function listOperation(context: KindContext, allNamespaces: boolean): Operation {
  const { kind, prefix, scoped, groupVersionKind, tag, listType } = context;
  return operation({
    description: `list ${kind.verbs.includes("watch") ? "or watch " : ""}objects of kind ${kind.kind}`,
    operationId: allNamespaces ? `list${prefix}${kind.kind}ForAllNamespaces` : `list${prefix}${scoped}`,
    parameters: [...listParameters, prettyParameter],
    ...{ tag, action: "list", kind: groupVersionKind, answers: listType, streams: true },
  });
}

function objectOperations({ kind, prefix, scoped, groupVersionKind, tag }: KindContext): Record<string, Operation> {
  const common = { tag, kind: groupVersionKind, answers: kind.type };
  const the = `the specified ${kind.kind}`;
  return only(kind, {
    get: operation({
      ...common,
      description: `read ${the}`,
      operationId: `read${prefix}${scoped}`,
      parameters: [prettyParameter],
      action: "get",
    }),
    update: operation({
      ...common,
      description: `replace ${the}`,
      operationId: `replace${prefix}${scoped}`,
      parameters: [...writeParameters, prettyParameter],
      ...{ action: "put", takes: kind.type, codes: [200, 201] },
    }),
    patch: operation({
      ...common,
      description: `partially update ${the}`,
      operationId: `patch${prefix}${scoped}`,
      parameters: [...patchParameters, prettyParameter],
      ...{ action: "patch", takes: "patch", codes: [200, 201] },
    }),
    delete: operation({
      ...common,
      description: `delete ${withArticle(kind.kind)}`,
      operationId: `delete${prefix}${scoped}`,
      parameters: [...deleteParameters, prettyParameter],
      answers: kind.deletion?.returnsObject ? kind.type : metaType("Status"),
      ...{ action: "delete", takes: metaType("DeleteOptions"), codes: [200, 202] },
    }),
  });
}

/** Keeps the operations whose verb the kind supports, by HTTP method. */
function only(
  kind: Kind,
  byVerb: Readonly<Partial<Record<Kind["verbs"][number], Operation>>>,
): Record<string, Operation> {
  const entries = Object.entries(byVerb).filter(([verb]) => (kind.verbs as readonly string[]).includes(verb));
  return Object.fromEntries(entries.map(([verb, verbOperation]) => [verb === "update" ? "put" : verb, verbOperation]));
}

function watchOperation(
  { kind, prefix, scoped, groupVersionKind, tag }: KindContext,
  of: "" | "List" | "All",
): Operation {
  const hint = "deprecated: use the 'watch' parameter with a list operation instead";
  const description = of
    ? `watch individual changes to a list of ${kind.kind}. ${hint}.`
    : `watch changes to an object of kind ${kind.kind}. ${hint}, filtered to a single item with the 'fieldSelector' parameter.`;
  return operation({
    description,
    operationId: `watch${prefix}${of === "All" ? `${kind.kind}ListForAllNamespaces` : scoped + of}`,
    parameters: [...listParameters, prettyParameter],
    ...{
      tag,
      action: of ? "watchlist" : "watch",
      kind: groupVersionKind,
      answers: metaType("WatchEvent"),
      streams: true,
    },
  });
}
