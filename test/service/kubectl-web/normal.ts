// Normalizes kubectl's output, so that runs in different sandboxes can be compared.

/** Rewrites what version 1.36 prints differently from 1.33, whatever the command. */
export function since136(text: string): string {
  return text
    .replaceAll(/^[IWE]\d{4} \d\d:.*\n/gm, "")
    .replaceAll(/^ *"?creationTimestamp"?: null,?\n/gm, "")
    .replaceAll(/,"creationTimestamp":null/g, "")
    .replaceAll(/,(\s*[}\]])(?=,?$)/gm, "$1")
    .replaceAll(/(": )\{\s+\}/g, "$1{}")
    .replaceAll(/(allowed formats are: .*json,jsonpath,jsonpath-as-json,jsonpath-file),name/g, "$1,kyaml,name");
}

/**
 * Replaces what differs from run to run: ages, times, names, addresses, UIDs and resource versions. Blanks are kept where the replaced value
 * has a constant width, so that the widths of columns are compared. Blanks after an age or an address are replaced with it.
 */
export function normal(text: string): string {
  return (
    text
      // Before ages: the end of a UID may look like one.
      .replaceAll(/\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/g, "<uid>")
      .replaceAll(/(?<!sha256:)\b[\da-f]{64}\b/g, "<id>")
      .replaceAll(/\b(\d+[smhd]){1,2}\b *(?=\s|$|\))/gm, "<age> ")
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, "<time>")
      .replaceAll(/[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d [+-]\d{4}/g, "<time>")
      .replaceAll(/-----BEGIN CERTIFICATE-----[^]*?-----END CERTIFICATE-----/g, "<certificate>")
      .replaceAll(/(resourceVersion"?: ?)"\d+"/g, '$1"<rv>"')
      .replaceAll(/(Resource Version: +)\d+/g, "$1<rv>")
      .replaceAll(/Expected resource version to be 1, was \d+/g, "Expected resource version to be 1, was <rv>")
      .replaceAll(/https:\/\/127\.0\.0\.1:\d+/g, "<server>")
      .replaceAll(/\b(10|172)\.\d+\.\d+\.\d+\b */g, "<ip> ")
      .replaceAll(/\bNone +/g, "None ")
      .replaceAll(/(?<=<age> ) *\(x\d+ over <age> \) */g, "")
      .replaceAll(/<age> +/g, "<age> ")
      .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d{4} UTC/g, "<time>")
      .replaceAll(/\bnode-\d+\b/g, "node-<n>")
      .replaceAll(/(?<=[: ])3\d{4}\/TCP/g, "<port>/TCP")
      .replaceAll(/(?<=-)[bcdfghjklmnpqrstvwxz2456789]{5}(?=[\s"'/:,;]|$)/gm, "<rnd>")
      .replaceAll(/^(?=.*\b(?:AGE|IP|CLUSTER-IP|LAST SEEN|Age)\b).*$/gm, (head) =>
        head.replaceAll(/\b(AGE|IP|CLUSTER-IP|LAST SEEN|Age) +/g, "$1 "),
      )
      .replaceAll(/^ +-+[- ]*$/gm, (rule) => rule.replaceAll(/ +/g, " "))
      // How often an event is repeated depends on how long the scene takes.
      .replaceAll(/^( *(?:Normal|Warning) .*\n)\1+/gm, "$1")
  );
}
