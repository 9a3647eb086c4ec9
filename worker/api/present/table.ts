// Server-side printing: `meta.k8s.io` Table and PartialObjectMetadata of objects, lists and watch events.
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { invalid, path } from "../../../shared/k8s/field.ts";
import { TooMuchWork, type WorkMeter } from "../../../shared/k8s/bounds/work.ts";
import { limits } from "../../../shared/base/limits.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import type { Column, Kind } from "../../kinds/kind.ts";

/** The object that a row includes beside its cells. The default is Metadata. */
export type IncludeObject = "None" | "Metadata" | "Object";

/** List metadata, or the resourceVersion of one object. */
export interface TableMeta {
  readonly resourceVersion?: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

export interface TableColumnDefinition {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  readonly priority: number;
}

export interface TableRow {
  readonly cells: readonly unknown[];
  readonly object: unknown;
}

export interface Table {
  readonly kind: "Table";
  readonly apiVersion: string;
  readonly metadata: TableMeta;
  /** Null if headers are left out: in every watch event but the first. */
  readonly columnDefinitions: readonly TableColumnDefinition[] | null;
  readonly rows: readonly TableRow[];
}

export interface TableOptions {
  readonly nowMs: number;
  /** The meter that cells charge. */
  readonly meter: WorkMeter;
  /** The work of the cells of one row. Default: `limits.rowWork`. */
  readonly rowWork?: number;
  readonly includeObject?: IncludeObject;
  readonly metadata?: TableMeta;
  /** False for all watch events of a stream but the first. */
  readonly headers?: boolean;
  /** The version of meta.k8s.io. */
  readonly version?: string;
}

/** The columns of upstream's default convertor, for kinds without their own. */
const defaultColumns: readonly Column<KubeObject>[] = [
  {
    name: "Name",
    type: "string",
    format: "name",
    description:
      "Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names",
    cell: (object) => object.metadata.name ?? "",
  },
  {
    name: "Created At",
    type: "date",
    description:
      "CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata",
    cell: (object) => object.metadata.creationTimestamp ?? "0001-01-01T00:00:00Z",
  },
];

/** Returns the Table of objects of one kind: of a list, of one object, or of the object of a watch event. */
export function tableOf<T extends KubeObject>(
  kind: Pick<Kind<T>, "columns">,
  objects: readonly T[],
  options: TableOptions,
): Table {
  const columns: readonly Column<T>[] = kind.columns.length > 0 ? kind.columns : defaultColumns;
  const apiVersion = `meta.k8s.io/${options.version ?? "v1"}`;
  return {
    kind: "Table",
    apiVersion,
    metadata: listMeta(options.metadata),
    columnDefinitions: options.headers === false ? null : definitionsOf(columns),
    rows: objects.map((object) => ({
      cells: cellsOf(columns, object, options),
      object: rowObject(object, options.includeObject ?? "Metadata", apiVersion),
    })),
  };
}

/** The work of a cell of a built-in column. */
const cellWork = 0.5;

/** Returns the cells of a row. Cells that exceed the work of a row are null, like upstream's cells with an invalid path. */
function cellsOf<T>(
  columns: readonly Column<T>[],
  object: T,
  { meter, nowMs, rowWork = limits.rowWork }: TableOptions,
) {
  const cell = (column: Column<T>) => {
    try {
      return column.cell(object, nowMs);
    } catch (error) {
      if (error instanceof TooMuchWork) return null;
      throw error;
    }
  };
  meter.account(cellWork * columns.length);
  return meter.within(() => columns.map(cell), rowWork);
}

/** Returns the columns of a watch as Tables, which only its first event has. */
export function columnDefinitions(kind: Kind): readonly TableColumnDefinition[] {
  return definitionsOf(kind.columns.length > 0 ? kind.columns : defaultColumns);
}

function definitionsOf<T>(columns: readonly Column<T>[]): TableColumnDefinition[] {
  return columns.filter(({ hasNoDefinition }) => !hasNoDefinition).map(definition);
}

/** Converts an object to PartialObjectMetadata. */
export function partialObjectMetadata(object: KubeObject, version = "v1"): KubeObject {
  return partial(object, `meta.k8s.io/${version}`);
}

/** Converts a list to PartialObjectMetadataList. */
export function partialObjectMetadataList(objects: readonly KubeObject[], metadata: TableMeta = {}, version = "v1") {
  const apiVersion = `meta.k8s.io/${version}`;
  return {
    kind: "PartialObjectMetadataList",
    apiVersion,
    metadata: listMeta(metadata),
    items: objects.map((object) => partial(object, apiVersion)),
  } as const;
}

/** Parses the `includeObject` query parameter of a Table request. */
export function parseIncludeObject(value: string | null | undefined): IncludeObject {
  if (!value) return "Metadata";
  if (value === "None" || value === "Metadata" || value === "Object") return value;
  const error = invalid(path("includeObject"), value, "must be 'Metadata', 'Object', 'None', or empty");
  throw ApiError.badRequest(`Unable to convert to Table as requested: ${error.field}: ${error.message}`);
}

/** Throws 406 if PartialObjectMetadata is requested for a list (`isList`), or PartialObjectMetadataList for one object. */
export function checkTransform(transformKind: string, isList: boolean, goType: string): void {
  if (transformKind === "PartialObjectMetadata" && isList) {
    throw notAcceptable(`you requested PartialObjectMetadata, but the requested object is a list (${goType})`);
  }
  if (transformKind === "PartialObjectMetadataList" && !isList) {
    throw notAcceptable(`you requested PartialObjectMetadataList, but the requested object is not a list (${goType})`);
  }
}

function notAcceptable(message: string): ApiError {
  return new ApiError(406, "NotAcceptable", message);
}

function definition<T>(column: Column<T>): TableColumnDefinition {
  return {
    name: column.name,
    type: column.type,
    format: column.format ?? "",
    description: column.description,
    priority: column.priority ?? 0,
  };
}

function rowObject(object: KubeObject, include: IncludeObject, apiVersion: string): unknown {
  if (include === "None") return null;
  return include === "Object" ? object : partial(object, apiVersion);
}

function partial(object: KubeObject, apiVersion: string): KubeObject {
  return { kind: "PartialObjectMetadata", apiVersion, metadata: object.metadata };
}

/** Returns the fields that are set, since Go omits empty list metadata. */
function listMeta(meta: TableMeta = {}): TableMeta {
  return {
    ...(meta.resourceVersion ? { resourceVersion: meta.resourceVersion } : {}),
    ...(meta.continue ? { continue: meta.continue } : {}),
    ...(meta.remainingItemCount === undefined ? {} : { remainingItemCount: meta.remainingItemCount }),
  };
}
