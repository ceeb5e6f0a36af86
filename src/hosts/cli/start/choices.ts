/** The state of a place, and the choices that it offers to a person who typed `holdpoint` alone. */
import type { Hold } from '../../../core/hold/hold.ts'
import { holdSummary } from '../../../core/hold-view/hold-words.ts'
import { durationText } from '../../../core/text/duration-text.ts'
import { visibleLine } from '../../../core/text/visible-text.ts'
import type { RunRow } from '../../../ports/store/runs.ts'
import { ago } from '../../display/ago.ts'
import { shellWord } from '../../process/shell-word.ts'

/** A place as it stands. */
export interface Standing {
  /** Open ones, oldest first. */
  readonly holds: readonly Hold[]
  /** The newest run that a person started; `null` if there is none. */
  readonly last: RunRow | null
  /** The message that began it, safe to show. */
  readonly about: string
  readonly hasProject: boolean
}

export interface Choice {
  readonly does: string
  readonly args: readonly string[]
  /** The question for the text that follows the arguments; `null` if none does. */
  readonly asks: string | null
}

/** The open holds and the state of the last session, in lines. `now` is in milliseconds since 1970. */
export function standingLines({ holds, last, about }: Standing, now: number): string[] {
  const [oldest] = holds
  const waits = holds.length === 1 ? '1 hold waits' : `${holds.length} holds wait, the oldest`
  return [
    ...(oldest
      ? [visibleLine(`${waits} for ${durationText(now - Date.parse(oldest.opened_at))}: ${asked(oldest)}`)]
      : []),
    ...(last ? [`The last session ${stands(last)}, ${ago(last.updated_at, now)}: ${about}`] : []),
  ]
}

function asked(hold: Hold): string {
  return `${hold.kind === 'approval' ? `${hold.tool} ` : ''}${holdSummary(hold)}`
}

function stands({ status, lease, ended, exported }: RunRow): string {
  if (exported !== null) return 'moved to another store'
  if (status === 'waiting') return 'waits'
  if (status === 'running') return lease === null ? 'is ready to go on' : 'is under way'
  return ended === null || ended === 'natural_end' ? 'ended' : `ended (${ended})`
}

/** In the order of their use: what waits first, then what goes on, then what is new. */
export function choicesFor({ holds, last, hasProject }: Standing): Choice[] {
  return [
    ...deciding(holds),
    ...(last && last.exported === null ? [goingOn(last)] : []),
    ...(hasProject ? [] : [choice('set up this directory', 'init')]),
    choice('see a run pause and go on', 'demo'),
    choice('check that agents can run here', 'doctor'),
    choice('read the help', '--help'),
  ]
}

function deciding([oldest, ...more]: readonly Hold[]): Choice[] {
  if (!oldest) return []
  if (more.length > 0) return [choice('list what waits', 'holds'), choice('see the oldest of it', 'show', oldest.id)]
  return [oldest.kind === 'approval' ? choice('decide what waits', 'approve') : choice('see it', 'show', oldest.id)]
}

function goingOn({ thread_id, status, lease }: RunRow): Choice {
  if (status === 'done')
    return { does: 'go on with the last session', args: ['-c', thread_id, '--'], asks: 'What to say: ' }
  const attend = status === 'running' && lease !== null ? ['--attend'] : []
  return choice('go on with the last session', '-c', thread_id, ...attend)
}

function choice(does: string, ...args: string[]): Choice {
  return { does, args, asks: null }
}

/** As a person would type it. */
export function commandText({ args, asks }: Choice): string {
  const words = args.filter(word => word !== '--').map(shellWord)
  return ['holdpoint', ...words, ...(asks === null ? [] : ['"…"'])].join(' ')
}
