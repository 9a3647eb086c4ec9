// Validates events: few rules for the core group, more for events created through events.k8s.io.
import { utf8Length } from "../../../../shared/base/utf8.ts";
import type { Event } from "../../../../shared/k8s/api/core-v1.ts";
import { semanticEqual } from "../../../../shared/k8s/equal.ts";
import { type FieldError, invalid, path, required } from "../../../../shared/k8s/field.ts";
import { dns1123Subdomain, qualifiedName } from "../../../../shared/k8s/names.ts";
import { internalForm } from "../../common/go-struct.ts";
import { validateImmutable } from "../../../../shared/k8s/validate-meta.ts";

const reference = "io.k8s.api.core.v1.ObjectReference";
const texts: readonly string[] = ["reason", "message", "type", "action", "reportingComponent", "reportingInstance"];
const maxWordBytes = 128;
const maxMessageBytes = 1024;

/** Validates any event. `reporter` is the version's field name of the reporter. */
export function legacyValidateEvent(event: Event, reporter: string): FieldError[] {
  const namespace = event.metadata.namespace ?? "";
  return [
    ...(event.eventTime ? validateNewEvent(event, namespace, reporter) : validateOldEvent(event, namespace)),
    ...dns1123Subdomain(namespace).map((message) => invalid(path("namespace"), namespace, message)),
  ];
}

/** Validates a new event of events.k8s.io. Upstream's errors have the field names of the core group. */
export function validateStrictCreate(event: Event): FieldError[] {
  const errors = validateSeries(event);
  const unset = (field: string) => errors.push(invalid(path(field), "", "needs to be unset"));
  if (!event.eventTime) errors.push(required(path("eventTime")));
  if (event.type !== "Normal" && event.type !== "Warning") {
    errors.push(invalid(path("type"), "", `has invalid value: ${event.type ?? ""}`));
  }
  if (event.firstTimestamp) unset("firstTimestamp");
  if (event.lastTimestamp) unset("lastTimestamp");
  if (event.count) unset("count");
  if (event.source.component || event.source.host) unset("source");
  return errors;
}

/** Validates an update through events.k8s.io, which may only change the series. */
export function validateStrictUpdate(next: Event, previous: Event): FieldError[] {
  const series = semanticEqual(next.series, previous.series) ? [] : validateSeries(next);
  const same = (field: keyof Event, name: string = field) =>
    validateImmutable(fieldAsGoStruct(next, field), fieldAsGoStruct(previous, field), path(name));
  return [
    ...series,
    ...same("involvedObject"),
    ...same("reason"),
    ...same("message"),
    ...same("source"),
    ...same("firstTimestamp"),
    ...same("lastTimestamp"),
    ...same("count"),
    ...same("reason"),
    ...same("type"),
    ...same("eventTime"),
    ...same("action"),
    ...same("related"),
    ...same("reportingComponent", "reportingController"),
    ...same("reportingInstance"),
  ];
}

/** Returns the value in upstream's internal form, whose fields have no JSON names. */
function fieldAsGoStruct(event: Event, field: keyof Event): unknown {
  const value = event[field];
  if (field === "involvedObject" || (field === "related" && value)) return internalForm(reference, value);
  if (field === "source") return internalForm("io.k8s.api.core.v1.EventSource", value);
  return value ?? (texts.includes(field) ? "" : null);
}

function validateSeries({ series }: Event): FieldError[] {
  if (!series) return [];
  const errors: FieldError[] = [];
  if ((series.count ?? 0) < 2) errors.push(invalid(path("series.count"), "", "should be at least 2"));
  if (!series.lastObservedTime) errors.push(required(path("series.lastObservedTime")));
  return errors;
}

function validateOldEvent({ involvedObject }: Event, namespace: string): FieldError[] {
  const about = involvedObject.namespace ?? "";
  const agrees = about ? about === namespace : namespace === "" || namespace === "default";
  return agrees ? [] : [mismatch(about)];
}

function validateNewEvent(event: Event, namespace: string, reporter: string): FieldError[] {
  const about = event.involvedObject.namespace ?? "";
  const errors = !about && namespace !== "default" && namespace !== "kube-system" ? [mismatch(about)] : [];
  const controller = event.reportingComponent ?? "";
  if (!controller) errors.push(required(path(reporter)));
  errors.push(
    ...qualifiedName(controller).map((message) => invalid(path(reporter), controller, message)),
    ...validateWord("reportingInstance", event.reportingInstance),
    ...validateWord("action", event.action),
    ...validateWord("reason", event.reason),
  );
  return [...errors, ...validateLength("message", event.message, maxMessageBytes)];
}

function validateWord(field: string, value: string | undefined): FieldError[] {
  return value ? validateLength(field, value, maxWordBytes) : [required(path(field))];
}

function validateLength(field: string, value = "", max = 0): FieldError[] {
  return utf8Length(value) > max ? [invalid(path(field), "", `can have at most ${max} characters`)] : [];
}

function mismatch(about: string): FieldError {
  return invalid(path("involvedObject", "namespace"), about, "does not match event.namespace");
}
