import { messageOf } from '../../core/errors.ts'
import { jsonLine } from '../../core/text/json-line.ts'
import { visibleLine } from '../../core/text/visible-text.ts'
import type { Holdpoint } from '../../runtime/face/holdpoint.ts'
import type { Pruned } from '../../runtime/threads/prune-store.ts'
import type { Io } from '../process/io.ts'
import { systemClock } from '../process/system-clock.ts'
import type { Retention } from '../project/retention.ts'

const DAY_MS = 86_400_000

/** A line of `work --json`: what was older than the project keeps it. */
export interface PrunedLine extends Pruned {
  readonly kind: 'store.pruned'
  /** ISO time. */
  readonly before: string
}

export interface RetentionReport {
  readonly io: Io
  readonly json: boolean
  /** The person who runs the worker, for the record. */
  readonly by: string
}

/**
 * Prunes what is finished and older than the project keeps it: now, then once a day until it is disposed. Work that
 * waits or is not finished stays, as with `holdpoint prune`.
 */
export async function keepRetention(
  holdpoint: Pick<Holdpoint, 'prune'>,
  retention: Retention | null,
  report: RetentionReport,
): Promise<AsyncDisposable> {
  if (retention === null) return { [Symbol.asyncDispose]: async () => {} }
  const stop = new AbortController()
  const prune = () => pruneOlder(holdpoint, { ...report, days: retention.days, signal: stop.signal })
  let pruning = prune()
  await pruning
  const timer = setInterval(() => {
    pruning = pruning.then(prune)
  }, DAY_MS)
  timer.unref()
  return {
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer)
      stop.abort()
      await pruning
    },
  }
}

type Pruning = RetentionReport & { readonly days: number; readonly signal: AbortSignal }

/** A worker goes on advancing runs if nothing can be deleted. */
async function pruneOlder(holdpoint: Pick<Holdpoint, 'prune'>, pruning: Pruning): Promise<void> {
  const { io, json, by, days, signal } = pruning
  const before = new Date(systemClock.now() - days * DAY_MS).toISOString()
  try {
    const pruned = await holdpoint.prune({ before, by, surface: 'work', signal })
    if (pruned.threads + pruned.tasks === 0) return
    if (json) io.out(jsonLine({ kind: 'store.pruned', before, ...pruned } satisfies PrunedLine))
    else io.out(`${pruned.threads} sessions and ${pruned.tasks} tasks from before ${before} are deleted\n`)
  } catch (thrown) {
    io.err(`holdpoint: warning: what is older than ${days} days stays: ${visibleLine(messageOf(thrown))}\n`)
  }
}
