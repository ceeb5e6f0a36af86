import type { HumanMessage } from '../core/journal/human-thread.ts'
import type { RunQuery } from '../ports/store/runs.ts'
import type { CheckpointRow } from '../runtime/views/list-checkpoints.ts'
import { follow } from './follow.ts'
import { collected, pagesOf } from './pages.ts'
import type {
  RemoteRun,
  RemoteRunNode,
  RemoteRunQuery,
  RemoteRunRow,
  RemoteRuns,
  RemoteThread,
  RemoteThreads,
} from './remote-holdpoint.ts'
import { verbRequest } from './verb-request.ts'
import type { Wire } from './wire.ts'

/** A run in full, as the server names its fields. */
type RunDocument = Omit<RemoteRun, 'id' | 'answer' | 'steps'> & {
  readonly run_id: string
  readonly agent: string
  readonly agent_message: string
  readonly steps_taken: number
}

type RowDocument = Omit<RemoteRunRow, 'id' | 'ended' | 'lease'> & {
  readonly run_id: string
  readonly termination: { readonly type: string } | null
  readonly advancing_by: string | null
  readonly children?: readonly RowDocument[]
}

type ThreadDocument = Omit<RemoteThread, 'id' | 'run'> & {
  readonly thread_id: string
  readonly run: RunDocument | null
}

export function runVerbs(wire: Wire): Omit<RemoteRuns, 'release' | 'timeline'> {
  return {
    start: async request => {
      const started = await wire.ask<{ run_id: string; thread_id: string; checkpoint_id: string }>(
        verbRequest('start', request),
      )
      const { run_id: id, thread_id, checkpoint_id } = started
      return { id, thread_id, status: 'running', checkpoint_id }
    },
    cancel: async (runId, options) => {
      const { outcome, run } = await wire.ask<{ outcome: 'cancelled' | 'requested' | 'done'; run: RunDocument }>(
        verbRequest('cancel', runId, options),
      )
      return { outcome, run: runOf(run) }
    },
    run: async id =>
      runOf(
        await wire.get<RunDocument & Pick<Awaited<ReturnType<RemoteRuns['run']>>, 'path' | 'exported'>>(['runs', id]),
      ),
    runs: async (query = {}) => (await collected(pagesOf<RowDocument>(wire, 'runs', { ...query }))).map(rowOf),
    runTree: async query =>
      (await wire.get<{ runs: readonly RowDocument[] }>(['runs'], treeQuery(query))).runs.map(nodeOf),
    runAt: async checkpointId => runOf(await wire.get<RunDocument & { seq: number }>(['checkpoints', checkpointId])),
  }
}

export function threadVerbs(wire: Wire): Omit<RemoteThreads, 'search'> {
  return {
    send: (threadId, { replyTo, ...message }, { whileWaiting, onlyTo } = {}) => {
      const wish = { reply_to: replyTo, while_waiting: whileWaiting, only_to: onlyTo }
      return wire.ask(verbRequest('send', threadId, { ...message, ...wish }))
    },
    compact: (threadId, options = {}) => wire.ask(verbRequest('compact', threadId, options)),
    follow: (threadId, options) => follow(wire, threadId, options),
    messages: async id => (await wire.get<{ messages: HumanMessage[] }>(['threads', id, 'messages'])).messages,
    checkpoints: async id =>
      (await wire.get<{ checkpoints: CheckpointRow[] }>(['threads', id, 'checkpoints'])).checkpoints,
    thread: async threadId => {
      const document = await wire.get<ThreadDocument>(['threads', threadId], { messages: true })
      const { thread_id: id, run, ...thread } = document
      return { id, ...thread, run: run && runOf(run) }
    },
  }
}

/** A tree has no pages. */
const MOST_IN_A_TREE = 500

function treeQuery({ limit = MOST_IN_A_TREE, ...query }: RemoteRunQuery = {}): RunQuery & { readonly tree: true } {
  return { ...query, limit: Math.min(limit, MOST_IN_A_TREE), tree: true }
}

function runOf<Document extends RunDocument>({
  run_id: id,
  agent: _,
  agent_message: answer,
  steps_taken: steps,
  ...run
}: Document): Omit<Document, keyof RunDocument> & RemoteRun {
  return { id, answer, steps, ...run } as unknown as Omit<Document, keyof RunDocument> & RemoteRun
}

function rowOf({ run_id: id, termination, advancing_by, children: _, ...row }: RowDocument): RemoteRunRow {
  const lease = advancing_by === null ? null : { owner: advancing_by }
  return { id, ...row, ended: termination?.type ?? null, lease }
}

function nodeOf(document: RowDocument): RemoteRunNode {
  return { ...rowOf(document), children: (document.children ?? []).map(nodeOf) }
}
