// Updates of jq's values: other references to a value never change.
import { describe, expect, test } from "vitest";
import { inImage } from "./in-image.ts";

function jq(filter: string, work?: number) {
  const { all, exit, run } = inImage("my/app", ["jq", "-nc", filter], work === undefined ? {} : { work });
  return { all: all.trimEnd(), exit, run };
}

describe("a jq update that leaves other references to a value unchanged", () => {
  test.each([
    ["reduce range(3) as $i ({};. as $old|.a=$old)", '{"a":{"a":{"a":{}}}}'],
    ["reduce range(3) as $i ([];.[$i]=.)", "[[],[[]],[[],[[]]]]"],
    ["reduce range(3) as $i ([];.+[.])", "[[],[[]],[[],[[]]]]"],
    ["reduce range(2) as $i ({a:{}};.a+=.)|tojson|length", "20"],
    ["reduce range(3) as $i ([[]];.[0]+=[$i]|.+[.[0]])", "[[0,1,2],[0],[0,1],[0,1,2]]"],
    ["[foreach range(3) as $i ([];.+[$i])]", "[[0],[0,1],[0,1,2]]"],
    ["[foreach range(3) as $i ({};.a[$i]=$i;.a)]", "[[0],[0,1],[0,1,2]]"],
    ["reduce range(3) as $i ({a:{}};.b=.a|.a.x=$i)", '{"a":{"x":2},"b":{"x":1}}'],
    [
      "reduce range(2) as $i ({a:{}};.a.x=$i|.b=.a|.a.y=$i|.c=[.b])",
      '{"a":{"x":1,"y":1},"b":{"x":1,"y":0},"c":[{"x":1,"y":0}]}',
    ],
    ["reduce range(3) as $i ({};.n=(reduce range(2) as $j (.;.z=$j)|length))", '{"n":2}'],
    ["reduce range(2) as $i ([1];.+.)", "[1,1,1,1]"],
    ["{}|.a=1|. as $x|.a=2|[$x,.]", '[{"a":1},{"a":2}]'],
    ["{}|.a=1|[.,.]|.[0].a=2", '[{"a":2},{"a":1}]'],
    ["{}|.a=[]|[.,(.a+=[1])]", '[{"a":[]},{"a":[1]}]'],
    ["{}|.a=1|[.,(.a=2),.]", '[{"a":1},{"a":2},{"a":1}]'],
    ["{}|.a.b=1|[.,(.a|=(.b=2)),.]", '[{"a":{"b":1}},{"a":{"b":2}},{"a":{"b":1}}]'],
    ["{}|.a.b=1|[.,del(.a.b),.]", '[{"a":{"b":1}},{"a":{}},{"a":{"b":1}}]'],
    ['{}|.a=1|[.,setpath(["a"];2),.]', '[{"a":1},{"a":2},{"a":1}]'],
    ["def f(g): [g,.,g]; {}|.a=1|f(.a+=1)", '[{"a":2},{"a":1},{"a":2}]'],
    ['[foreach range(2) as $i ({a:{}};.a["k"]|=$i;.)]', '[{"a":{"k":0}},{"a":{"k":1}}]'],
    ["reduce range(2) as $i ({};. as $o|.a=$i|.old=$o)", '{"a":1,"old":{"a":0,"old":{}}}'],
    ["def f(g): g|.x=(.x//0)+1; reduce range(3) as $i ({};f(.a=$i))", '{"a":2,"x":3}'],
    ["{a:[1,2]}|.a as $x|.a+=[3]|[.,$x]", '[{"a":[1,2,3]},[1,2]]'],
    ["{a:[1,2]}|[.a,(.a+=[3]|.a),.a]", "[[1,2],[1,2,3],[1,2]]"],
    ["{a:{b:1}}|.a as $x|.a.b=2|[$x,.]", '[{"b":1},{"a":{"b":2}}]'],
    ["reduce range(2) as $i ([];(.,[9])|.[0]=$i)", "[1]"],
    ["reduce range(2) as $i ([0];.[0]=($i,5))", "[5]"],
    ["[1,2,3]|.[]|=empty", "[]"],
    ['{}|.["__proto__"].a=1|.a', "null"],
    ["[limit(4;1|recurse(.*2))],[1|while(.<9;.*2)],(1|until(.>99;.*3))", "[1,2,4,8]\n[1,2,4,8]\n243"],
    ["[3|while(.>0;.-1,.-2)]", "[3,2,1,1]"],
    ["[[1,[2]]|recurse(.[]?)]", "[[1,[2]],1,[2],2]"],
    ['[1,"1",null,[1],{"a":1,"b":2}]-["1",null,[1],{"b":2,"a":1}]', "[1]"],
    [
      '{a:(1,2),b:(3,4)},"\\(1,2)-\\(3,4)"',
      '{"a":1,"b":3}\n{"a":1,"b":4}\n{"a":2,"b":3}\n{"a":2,"b":4}\n"1-3"\n"2-3"\n"1-4"\n"2-4"',
    ],
  ])("%s", (filter, printed) => {
    expect(jq(filter)).toMatchObject({ all: printed, exit: 0 });
  });
});

describe("a jq reduction that costs as much for each step", () => {
  test.each([
    'reduce range(COUNT) as $i ({};.["a\\($i)"]=$i)|length',
    "reduce range(COUNT) as $i ([];.[$i]=$i)|length",
    "reduce range(COUNT) as $i ([];.+[$i])|length",
    'reduce range(COUNT) as $i ({};.+{"a\\($i)":$i})|length',
    "reduce range(COUNT) as $i ({};.a.b[$i]+=$i)|.a.b|length",
    'reduce range(COUNT) as $i ({};setpath(["a\\($i)"];$i))|length',
    "[range(COUNT)]|.[]|=.+1|length",
    "[range(COUNT)]-[range(COUNT)]|length",
    "[range(COUNT)|[.]]|add|length",
  ])("%s", (filter) => {
    const work = (count: number) => {
      const { run, exit } = jq(filter.replaceAll("COUNT", String(count)), 1e6);
      expect(exit).toBe(0);
      return run.work;
    };
    expect(work(4_000)).toBeLessThan(2.5 * work(2_000));
  });
});
