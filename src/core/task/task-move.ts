import type { JsonObject } from '../text/json.ts'
import type { Invocation, TaskStatus } from './task.ts'

/** The requester, and the surface. */
export interface Requester {
  readonly by: string
  readonly surface: string
}

/** A task as it is put on record, before its process starts. */
export interface NewTask extends Requester {
  readonly id: string
  readonly kind: string
  readonly title: string
  readonly subject: string | null
  readonly details: JsonObject
  readonly workdir: string
  readonly timeout_ms: number | null
  readonly argv: readonly string[]
  /** True if it waits for its turn (`TaskRegistry.takeNext`). Default: its caller starts it at once. */
  readonly waits?: boolean
}

/** The new fields of an invocation. A field that is left out stays as it is. */
export type InvocationChange = Partial<
  Pick<Invocation, 'supervisor' | 'process' | 'exit_code' | 'signal' | 'error' | 'stdout_bytes' | 'stderr_bytes'>
>

/**
 * One compare-and-set: nothing happens unless the newest invocation is `invocation`, the status is one of `from`, and
 * its supervisor is `supervisor`, if that is given. `started_at` and `ended_at` follow from the status.
 */
export interface TaskMove {
  readonly task_id: string
  readonly invocation: number
  readonly from: readonly TaskStatus[]
  /** The supervisor as the caller knows it; left out if it does not matter. */
  readonly supervisor?: string | null
  /** Left out if the status stays. To `pending` only together with `next`. */
  readonly to?: TaskStatus
  /** Replaces `to` if a cancel was requested before. */
  readonly to_if_cancel_requested?: TaskStatus
  readonly change?: InvocationChange
  /** The subject of the task from here on, without another invocation. */
  readonly about?: string
  /**
   * Requests a cancel; the task keeps the request until it rests. A task that rests is cancelled at once (`to`), or not
   * at all.
   */
  readonly cancel?: Requester
  /** Begins the next invocation: the task is `pending` again. With another `subject`, it is about that from here on. */
  readonly next?: Requester & Pick<NewTask, 'argv' | 'waits'> & { readonly subject?: string }
}
