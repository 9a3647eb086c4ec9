// The limits of the plan and how much of each is used.
import { useCallback } from "preact/hooks";
import type { StandingShown } from "../../../shared/contract/hosted/plan.ts";
import type { Control } from "../../api/control.ts";
import { sandbarLine } from "../../api/lines.ts";
import { Alert } from "../../parts/alert.tsx";
import { CommandLine } from "../../parts/command-line.tsx";
import { useLoaded } from "../../parts/loaded.ts";
import { Meter } from "../../parts/meter.tsx";
import { type LimitName, limitNames, limitText, ofSandbox, ofTenant } from "./limit-names.ts";
import { texts as all } from "../../messages/usage.ts";

const texts = all.limitsPage;

export function LimitsPage({ control }: { readonly control: Control }) {
  const read = useCallback(() => control.limits(), [control]);
  const { value, failure } = useLoaded(read);
  return (
    <>
      <div class="titled page">
        <h1>{texts.limits}</h1>
        {value && (
          <p class="facts">
            <span>
              {texts.plan} <strong>{value.plan}</strong>
            </span>
          </p>
        )}
      </div>
      <Alert text={failure} />
      {value && (
        <>
          <TenantLimits standing={value} />
          <SandboxLimits standing={value} />
          <p class="hint">{texts.refusalHint}</p>
        </>
      )}
      <CommandLine line={sandbarLine("limits")} />
    </>
  );
}

function TenantLimits({ standing: { limits, used } }: { readonly standing: StandingShown }) {
  const counts: Readonly<Partial<Record<LimitName, number>>> = used;
  return (
    <section class="panel">
      <h2>{texts.organisationLimits}</h2>
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

function SandboxLimits({ standing: { limits } }: { readonly standing: StandingShown }) {
  return (
    <section class="panel">
      <h2>{texts.sandboxLimits}</h2>
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
