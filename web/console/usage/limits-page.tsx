// What the plan gives, and what of it is used.
import { useCallback } from "preact/hooks";
import type { StandingShown } from "../../../shared/contract/hosted/plan.ts";
import type { Control } from "../../api/control.ts";
import { sandbarLine } from "../../api/lines.ts";
import { Alert } from "../../parts/alert.tsx";
import { CommandLine } from "../../parts/command-line.tsx";
import { useLoaded } from "../../parts/loaded.ts";
import { Meter } from "../../parts/meter.tsx";
import { type LimitName, limitNames, limitText, ofSandbox, ofTenant } from "./limit-names.ts";

export function LimitsPage({ control }: { readonly control: Control }) {
  const read = useCallback(() => control.limits(), [control]);
  const { value, failure } = useLoaded(read);
  return (
    <>
      <div class="titled page">
        <h1>Limits</h1>
        {value && (
          <p class="facts">
            <span>
              The plan is <strong>{value.plan}</strong>
            </span>
          </p>
        )}
      </div>
      <Alert text={failure} />
      {value && (
        <>
          <Counted standing={value} />
          <Each standing={value} />
          <p class="hint">
            What is past a limit is refused with its name, and nothing is half done. For more, ask who runs this
            service.
          </p>
        </>
      )}
      <CommandLine line={sandbarLine("limits")} />
    </>
  );
}

function Counted({ standing: { limits, used } }: { readonly standing: StandingShown }) {
  const counts: Readonly<Partial<Record<LimitName, number>>> = used;
  return (
    <section class="panel">
      <h2>Of the organisation</h2>
      <table class="limits">
        <tbody>
          {ofTenant.map((name) => {
            const count = counts[name];
            return (
              <tr key={name} data-name={name}>
                <th scope="row">{limitNames[name]}</th>
                <td>
                  {count === undefined ? (
                    limitText(name, limits[name])
                  ) : (
                    <Meter
                      label={limitNames[name]}
                      used={count}
                      limited={limits[name] ?? null}
                      text={(value) => limitText(name, value)}
                    />
                  )}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

function Each({ standing: { limits } }: { readonly standing: StandingShown }) {
  return (
    <section class="panel">
      <h2>Of each sandbox</h2>
      <table class="limits">
        <tbody>
          {ofSandbox.map((name) => (
            <tr key={name} data-name={name}>
              <th scope="row">{limitNames[name]}</th>
              <td>{limitText(name, limits[name])}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
