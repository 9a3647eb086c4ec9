// The clock of a cluster in its states: a fork and a restored sandbox go on at the moment of the state.
import { describe, expect, test } from "vitest";
import { SteppedClock } from "../../../shared/base/clock.ts";
import { patchClock } from "../../../shared/contract/cluster/clock.ts";
import { ClusterClock, readClock } from "../../../worker/cluster/time/clock/cluster-clock.ts";
import { nodeSql } from "../../sqlite.ts";
import { newClockedServer } from "../clocked-server.ts";
import { put, savedState } from "./saved.ts";

const dayMs = 24 * 3_600_000;

describe("the clock in a state", () => {
  test("continues from the time of the state if it was set, even if the state is restored much later", async () => {
    const server = newClockedServer();
    await server.clocks.setClock(patchClock.parse({ speed: 60, advance: "7d" }));
    const savedMs = server.clock.nowMs();
    const file = savedState(server.cluster, server.sql);
    const [sql, later] = [nodeSql(), new SteppedClock(server.real.nowMs() + 3 * dayMs)];
    put(sql, later, file);
    const clock = new ClusterClock(sql, later);
    expect([clock.nowMs(), clock.speed, clock.state]).toEqual([savedMs, 60, "running"]);
    later.step(1_000);
    expect(clock.nowMs()).toBe(savedMs + 60_000);
  });

  test("stays paused if it was paused; a clock that was never set follows the machine in any sandbox", async () => {
    const server = newClockedServer();
    const plain = savedState(server.cluster, server.sql);
    await server.clocks.setClock(patchClock.parse({ state: "paused" }));
    const paused = savedState(server.cluster, server.sql);
    const [sql, real] = [nodeSql(), new SteppedClock(server.real.nowMs() + dayMs)];
    put(sql, real, paused);
    expect(new ClusterClock(sql, real).nowMs()).toBe(server.clock.nowMs());
    expect(new ClusterClock(sql, real).state).toBe("paused");
    put(sql, real, plain, undefined, 5_000);
    expect(readClock(sql)).toBeUndefined();
    expect(new ClusterClock(sql, real).nowMs()).toBe(real.nowMs());
  });
});
