// The calls of the edge that other classes answer: the Durable Object only passes them on.
import { DurableObject } from "cloudflare:workers";
import type { ClusterClockRpc } from "../../shared/contract/cluster/clock.ts";
import type { ClusterFaultsRpc } from "../../shared/contract/cluster/faults.ts";
import type { ClusterPastRpc } from "../../shared/contract/cluster/past.ts";
import type { ClusterRecordingRpc } from "../../shared/contract/cluster/recording.ts";
import type { ClusterLessonRpc } from "../../shared/contract/cluster/lesson.ts";
import type { ObjectCopyRpc } from "../../shared/contract/hosted/object-copy.ts";
import type { ClusterStateRpc, RestoredState, UndoneState } from "../../shared/contract/cluster-state.ts";
import type { ClusterEnv } from "./env.ts";

export abstract class ClusterCalls
  extends DurableObject<ClusterEnv>
  implements
    ClusterStateRpc,
    ClusterLessonRpc,
    ClusterClockRpc,
    ClusterPastRpc,
    ClusterRecordingRpc,
    ClusterFaultsRpc,
    ObjectCopyRpc
{
  protected abstract readonly states: ClusterStateRpc;
  protected abstract readonly lessons: ClusterLessonRpc;
  protected abstract readonly clocks: ClusterClockRpc;
  protected abstract readonly pasts: ClusterPastRpc & ClusterRecordingRpc;
  protected abstract readonly faults: ClusterFaultsRpc;
  protected abstract readonly copies: ObjectCopyRpc;
  /** Looks how much room there is on the machine's disk. */
  protected abstract checkDiskSpace(): Promise<void>;

  copyPage(session: string | undefined) {
    return this.copies.copyPage(session);
  }

  async restorePage(session: string | undefined, text: string) {
    await this.checkDiskSpace();
    return this.copies.restorePage(session, text);
  }

  countStoredRows() {
    return this.copies.countStoredRows();
  }

  saveState(options: Parameters<ClusterStateRpc["saveState"]>[0]) {
    return this.states.saveState(options);
  }

  listChanges(query: Parameters<ClusterStateRpc["listChanges"]>[0]) {
    return this.states.listChanges(query);
  }

  async restoreState(from: Parameters<ClusterStateRpc["restoreState"]>[0]): Promise<RestoredState> {
    await this.checkDiskSpace();
    return this.states.restoreState(from);
  }

  async undo(options: Parameters<ClusterStateRpc["undo"]>[0]): Promise<UndoneState> {
    await this.checkDiskSpace();
    return this.states.undo(options);
  }

  gradeStep(question: Parameters<ClusterLessonRpc["gradeStep"]>[0]) {
    return this.lessons.gradeStep(question);
  }

  perform(actions: Parameters<ClusterLessonRpc["perform"]>[0]) {
    return this.lessons.perform(actions);
  }

  getClock() {
    return this.clocks.getClock();
  }

  setClock(change: Parameters<ClusterClockRpc["setClock"]>[0]) {
    return this.clocks.setClock(change);
  }

  setFaults(faults: Parameters<ClusterFaultsRpc["setFaults"]>[0]) {
    return this.faults.setFaults(faults);
  }

  getFaults(query: Parameters<ClusterFaultsRpc["getFaults"]>[0]) {
    return this.faults.getFaults(query);
  }

  deleteFaults(name: string | undefined) {
    return this.faults.deleteFaults(name);
  }

  timeline(query: Parameters<ClusterPastRpc["timeline"]>[0]) {
    return this.pasts.timeline(query);
  }

  followTimeline(question: Parameters<ClusterPastRpc["followTimeline"]>[0]) {
    return this.pasts.followTimeline(question);
  }

  recordRequests(question: Parameters<ClusterRecordingRpc["recordRequests"]>[0]) {
    return this.pasts.recordRequests(question);
  }

  why(question: Parameters<ClusterPastRpc["why"]>[0]) {
    return this.pasts.why(question);
  }
}
