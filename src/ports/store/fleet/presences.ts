import type { Presence, PresenceChange } from '../../../core/fleet/presence.ts'

/** The process of a background agent, as it signs in. */
export interface NewPresence extends Pick<Presence, 'task_id' | 'invocation' | 'process' | 'endpoint' | 'protocol'> {
  /** Random: who reads it can read the store, and may attach. */
  readonly token: string
}

/** How a process of this user reaches the process of an agent. */
export interface AgentDoor extends Pick<Presence, 'process' | 'endpoint' | 'protocol'> {
  readonly token: string
}

/** The owner of a presence. */
export type PresenceOwner = Pick<Presence, 'task_id' | 'invocation'>

/** The processes of background agents. Each process writes its own row, and removes it when it exits. */
export interface PresenceStore {
  /**
   * Replaces the presence of an earlier invocation. `null` if this is not the newest invocation of its task, or the
   * task is unknown: nothing was written.
   */
  arrive(presence: NewPresence): Promise<Presence | null>
  /** `null` if the presence is another invocation's by now: nothing was written. */
  change(owner: PresenceOwner, change: PresenceChange): Promise<Presence | null>
  /** Nothing happens if the presence is another invocation's by now. */
  leave(owner: PresenceOwner): Promise<void>
  find(taskId: string): Promise<Presence | null>
  /** All of them, the oldest task first. */
  list(): Promise<readonly Presence[]>
  /** `null` if no process of the task is there. */
  door(taskId: string): Promise<AgentDoor | null>
}
