import type { KeepFoldAfter } from '../core/folds/kept-fold.ts'
import type { AskedTask } from '../core/hold/act.ts'
import type { Thread } from '../core/journal/thread.ts'
import type { MessageLimits } from '../core/message/limits.ts'
import type { ContentPart } from '../core/message/part.ts'
import type { TryPattern } from '../core/pattern/try-pattern.ts'
import type { InstructionsFile } from '../core/settings/project-instructions.ts'
import type { AgentSource } from './agent/agent-source.ts'
import type { OpenControls } from './agent/control.ts'
import type { CheckSchema } from './agent/schema.ts'
import type { Clock } from './clock.ts'
import type { EventSink } from './event-sink.ts'
import type { Ids } from './ids.ts'
import type { LiveChannel } from './live-channel.ts'
import type { Liveness } from './process/liveness.ts'
import type { Store } from './store/store.ts'

/** The parts of the outside that the loop needs, put together by a host. */
export interface Runtime {
  readonly store: Store
  /** True if the caller opened the store and closes it. Default: it is closed with the face. */
  readonly keepsStoreOpen?: boolean
  readonly agents: AgentSource
  readonly clock: Clock
  readonly ids: Ids
  readonly liveness: Liveness
  readonly tell: EventSink
  /** Receives the fold of the journal after each flush that left nothing staged. For tests. */
  readonly flushed?: (thread: Thread) => void
  /** Whether this thread has followers in this process. The face sets it. */
  readonly isFollowed?: (threadId: string) => boolean
  /** True once a worker here has watched for a minute that the clock of the store agrees with a steady one. The face sets it. */
  readonly isClockTrusted?: () => boolean
  /** The place where runs in this directory work, for people. Left out if nobody reads it. */
  readonly where?: (directory: string) => Pick<AskedTask, 'directory' | 'branch' | 'host'>
  /** Left out if no other process can follow. */
  readonly live?: LiveChannel
  readonly checkSchema: CheckSchema
  /** Left out if patterns of older agents that only JavaScript can run never occur. */
  readonly tryPattern?: TryPattern
  /** Why a model does not read a part of a message; `null` if it does, or if nobody knows. Default: it reads any. */
  readonly unread?: (model: string, part: ContentPart, among?: readonly ContentPart[]) => string | null
  /**
   * The files of these names in a working directory or above it; `null` if the directory is not on this host. Left out if
   * files of a project are no instructions.
   */
  readonly readInstructions?: (names: readonly string[], workdir: string) => Promise<readonly InstructionsFile[] | null>
  /** In events. Default: `KEEP_FOLD_AFTER`. */
  readonly keepFoldAfter?: KeepFoldAfter
  /** Default: `DEFAULT_MESSAGE_LIMITS`. */
  readonly messageLimits?: MessageLimits
  /**
   * The time limit of a plugin's hook, and of questions to a tool before a call runs, in milliseconds. Default: 10,000.
   */
  readonly codeTimeoutMs?: number
  /** The controls of agents that the loop loads. The face sets it: controls work through the face. */
  readonly controls?: OpenControls
  /** Removes what is kept elsewhere of tasks that are in the store no more. Left out where there is nothing. */
  readonly sweepTasks?: () => Promise<void>
}
