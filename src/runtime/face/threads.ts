import type { JournalEvent } from '../../core/journal/event.ts'
import type { HumanMessage } from '../../core/journal/human-thread.ts'
import type { Thread } from '../../core/journal/thread.ts'
import type { Ephemeral } from '../../ports/event-sink.ts'
import type { SearchPage, SearchQuery } from '../../ports/store/search.ts'
import type { FollowOptions } from '../following/follow-thread.ts'
import type { CompactionAsked, CompactOptions } from '../threads/compact-thread.ts'
import type { Forked } from '../threads/fork-thread.ts'
import type { MessageInput, SendOptions, Sent } from '../threads/send-message.ts'
import type { CheckpointRow } from '../views/list-checkpoints.ts'
import type { CheckpointPlace } from '../views/load-checkpoint.ts'
import type { RunView } from '../views/run-view.ts'

export type { CompactionAsked, CompactOptions } from '../threads/compact-thread.ts'

/** Conversations: messages and events, past and future. */
export interface Threads {
  /** Sends a message to the newest run of a thread; holds are never skipped unasked. Advance the run then. @throws RefusedError */
  send(threadId: string, message: MessageInput, options?: SendOptions): Promise<Sent>

  /**
   * Asks that the conversation is folded into a summary before the model reads it again; all of it stays on record.
   * @throws RefusedError `nothing_pending` if nothing was said since the last fold
   */
  compact(threadId: string, options: CompactOptions): Promise<CompactionAsked>

  /**
   * Gives the events of a thread after `since`, then new ones, until the signal is aborted, the caller stops or the
   * face is closed; with `until: 'rest'` also until the newest run waits or is done. Pieces of text, calls and output
   * are marked `ephemeral` (`ModelPart`), and arrive from other processes of this user on this machine too. Some may be
   * missed; the events have the whole.
   * @throws RefusedError `unknown_session`
   */
  follow(threadId: string, options?: FollowOptions): AsyncGenerator<JournalEvent | Ephemeral, void, undefined>

  /** The `seq` of the newest event of a thread. It costs one query, however long the thread. @throws RefusedError `unknown_session` */
  newestSeq(threadId: string): Promise<number>

  /** The thread as people see it: questions, answers, and deadlines that passed. @throws RefusedError `unknown_session` */
  messages(threadId: string): Promise<readonly HumanMessage[]>

  /** Searches messages, questions, answers and results by words, from the newest thread on. @throws RefusedError */
  search(query: SearchQuery): Promise<SearchPage>

  /** @throws RefusedError `unknown_session` */
  thread(id: string): Promise<Thread>

  /** The events of a thread so far, oldest first. @throws RefusedError `unknown_session` */
  journal(threadId: string): Promise<readonly JournalEvent[]>

  /** A thread's newest run; `null` if none was started. */
  view(thread: Thread): Promise<RunView | null>

  /** Every place of a thread that `fork` can begin from, oldest first. @throws RefusedError `unknown_session` */
  checkpoints(threadId: string): Promise<readonly CheckpointRow[]>

  /** The place of a checkpoint in its journal. @throws RefusedError `unknown_checkpoint` */
  checkpoint(id: string): Promise<CheckpointPlace>

  /** A new thread that begins as this one was at a checkpoint. @throws RefusedError `unknown_checkpoint` */
  fork(checkpointId: string): Promise<Forked>
}
