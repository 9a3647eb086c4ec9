// Inputs that failed once, each with the target that they failed in and the fault that they showed. None is ever taken out. An input that was
// slow is kept so long that the test would run into its timeout.

interface FailedInput {
  readonly target: string;
  readonly input: string;
  readonly fault: string;
}

export const failedInputs: readonly FailedInput[] = [
  {
    target: "timestamp",
    input: "9999-12-31T3:59:51-23:59",
    fault: "printed as the year +010000, which is no year of Go",
  },
  { target: "timestamp", input: "0000-01-01T00:00:00+23:59", fault: "printed as the year -000001" },
  {
    target: "JSONPath of a printer column",
    input: ".a[?(@".repeat(12_000),
    fault: "RangeError: filters within filters overflowed the stack",
  },
  { target: "URL of an expression", input: "/\udfff", fault: "URIError: a lone surrogate is not encoded" },
  {
    target: "CEL expression",
    input: `dyn(s).size()6553${"Ø53".repeat(12_000)}`,
    fault: "4.5 s: each unreadable character was a problem, and each problem showed its line",
  },
  {
    target: "arithmetic",
    input: `1 << ${"a[".repeat(240_000)}`,
    fault: "minutes: each subscript that does not end was read to the end of the text",
  },
  {
    target: "glob and brace",
    input: "[".repeat(60_000),
    fault: "hung for more than a minute: each bracket that does not end was read to the end of the pattern",
  },
  {
    target: "glob and brace",
    input: `${"[".repeat(60_000)}[:x:]]`,
    fault: "minutes: the same, up to a class that does not exist",
  },
  {
    target: "certificate request",
    input: "0\x05\x1e\x03\0a\0",
    fault: "RangeError: a BMPString of an odd length was thrown out of the reader",
  },
  {
    target: "certificate",
    input: "0\x07\x18\x05abcde",
    fault: "Error: a GeneralizedTime that is no time was thrown out of the reader",
  },
  {
    target: "HTTP and RESP on a forwarded connection",
    input: "T \x1b HTTP/1.1\n\n",
    fault: "a path with a control character was refused in pieces and read at once",
  },
  {
    target: "HTTP and RESP on a forwarded connection",
    input: "\xe2\x82\xac",
    fault: "the bytes 0x80 to 0x9f of a body, and of an argument of Redis, arrived as others",
  },
  {
    target: "completion indexes",
    input: "1,3-5,73-5,75",
    fault: "an interval that ends before it begins was read as one",
  },
  {
    target: "tar archive",
    input: `${"a".padEnd(124, "\0")}-1000\0`.padEnd(1024, "\0"),
    fault: "a member of a negative size was read again and again",
  },
];
