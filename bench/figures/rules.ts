// The cost of policies' expressions in this process: compiling one, and evaluating it for a Deployment.
import { WorkMeter } from "../../shared/k8s/bounds/work.ts";
import { dynValue } from "../../shared/cel/json-value.ts";
import { type Program, compile, evaluate } from "../../shared/cel/program.ts";
import { dynType } from "../../shared/cel/types.ts";
import { deployment } from "../sandbox.ts";
import { type Figure, atMost } from "../table.ts";

const warmUps = 3000;
const rounds = 5000;
const environment = { variables: new Map([["object", dynType]]) };
const typical = "object.spec.template.spec.containers.all(c, has(c.image) && !c.image.endsWith(':latest'))";
const object = deployment("web", 3);

export function rules(): Figure[] {
  const program = compiled();
  const evaluated = microsOf(() => {
    const outcome = evaluate(program, () => dynValue(object), new WorkMeter());
    if (!("value" in outcome) || outcome.value !== true) throw new Error("the rule holds");
  });
  const compileMicros = microsOf(compiled);
  return [
    { what: "evaluate a typical rule", value: evaluated, unit: "µs", bar: atMost(evaluated, 50, "µs") },
    { what: "compile it", value: compileMicros, unit: "µs", bar: atMost(compileMicros, 2000, "µs") },
  ];
}

function compiled(): Program {
  const compiledRule = compile(typical, environment);
  if (!("program" in compiledRule)) throw new Error("the rule compiles");
  return compiledRule.program;
}

function microsOf(run: () => void): number {
  for (let round = 0; round < warmUps; round++) run();
  const startMs = performance.now();
  for (let round = 0; round < rounds; round++) run();
  return ((performance.now() - startMs) * 1000) / rounds;
}
