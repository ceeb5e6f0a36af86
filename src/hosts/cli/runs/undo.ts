/** `undo`: takes back what the command of a call changed in a box, once that was carried out. */

import { unknownHold } from '../../../core/deciding/unknown-hold.ts'
import { changeWord } from '../../../core/effect/effect.ts'
import type { RefusedError } from '../../../core/errors.ts'
import { jsonLine, visibleLine } from '../../../core/text/visible-text.ts'
import type { Holdpoint } from '../../../runtime/face/holdpoint.ts'
import type { CommandContext } from '../../command/command.ts'
import { fullId } from '../../command/full-id.ts'
import { undoBoxed } from '../../compose/box-here.ts'
import { actor } from '../../process/actor.ts'
import { readConfig } from '../../project/project.ts'
import { storeUrl } from '../../project/store-url.ts'
import { sessionRefusals } from '../../refusals/session-refusals.ts'
import { onlyWord, openForReading, refuseAgentHere } from '../open-for-reading.ts'

/** What was taken back: `files` as they are now. */
export interface UndoneEffect {
  readonly session_id: string
  readonly call_id: string
  readonly command: string | null
  readonly files: readonly { readonly path: string; readonly change: string }[]
}

/** For another commit in the same directory. */
const LONGEST_WAIT_MS = 60_000

const USAGE = 'undo HOLD | undo SESSION/CALL'

export async function run(context: CommandContext): Promise<number> {
  const { env, directory, given, io } = context
  const word = onlyWord(given.words, USAGE)
  await refuseAgentHere(context, sessionRefusals.agentCannotUndo)
  await using app = await openForReading(context)
  const { thread_id, run_id, call_id } = await callNamed(app.holdpoint, word)
  const store = storeUrl(given.value('store'), env, await readConfig(directory, env))
  const entry = { kind: 'effect.undone', thread_id, run_id, call_id, actor: actor(env), surface: 'cli' } as const
  const undone = await undoBoxed(
    { store, env, directory },
    {
      idempotencyKey: `${thread_id}/${call_id}`,
      signal: AbortSignal.timeout(LONGEST_WAIT_MS),
      before: changes => app.store.record([{ ...entry, data: { files: changes.length } }]),
    },
  )
  if (undone.outcome !== 'undone') throw refused(undone, word)
  const files = undone.changes.map(change => ({ path: change.path, change: changeWord(change) }))
  const { command } = undone
  const document: UndoneEffect = { session_id: thread_id, call_id, command, files }
  if (context.json) io.out(jsonLine(document))
  else
    io.out(
      `${[`Took back what ${command ?? call_id} did:`, ...files.map(({ path, change }) => `  ${path}: ${change}`)].map(visibleLine).join('\n')}\n`,
    )
  return 0
}

interface CallNamed {
  readonly thread_id: string
  readonly run_id: string | null
  readonly call_id: string
}

async function callNamed(holdpoint: Holdpoint, word: string): Promise<CallNamed> {
  const [session, call_id, ...more] = word.split('/')
  if (session && call_id && more.length === 0) return { thread_id: session, run_id: null, call_id }
  const hold = await holdpoint.hold(await fullId(holdpoint, word))
  if (hold === null) throw unknownHold(word)
  const { thread_id, run_id, call_id: held } = hold
  if (held === null) throw sessionRefusals.nothingToUndo(word)
  return { thread_id, run_id, call_id: held }
}

type NotUndone = Exclude<Awaited<ReturnType<typeof undoBoxed>>, { outcome: 'undone' }>

function refused(undone: NotUndone, word: string): RefusedError {
  if (undone.outcome === 'moved') return sessionRefusals.changedSince(word, undone.paths)
  return undone.outcome === 'unknown' ? sessionRefusals.nothingToUndo(word) : sessionRefusals.undoneBefore(word)
}
