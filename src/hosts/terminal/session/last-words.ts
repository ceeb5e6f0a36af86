import { textWidth } from '../../../core/text/text-width.ts'
import type { CommandContext } from '../../command/command.ts'
import { placeFlags } from '../../command/place-flags.ts'
import type { AppOnDemand } from './app-on-demand.ts'

interface Said {
  readonly says: string
  readonly command: string
}

/** How a person comes back, and what waits; empty if nothing was said. */
export async function lastWords(
  app: AppOnDemand,
  sessionId: string,
  { given, io }: Pick<CommandContext, 'given' | 'io'>,
): Promise<string> {
  if (!app.isOpen) return ''
  const { holdpoint } = await app.open()
  const [run] = await holdpoint.runs({ thread_id: sessionId, limit: 1 })
  if (!run) return ''
  const at = placeFlags(given)
  const open = await holdpoint.holds({ thread_id: sessionId, status: 'open' })
  const waits = open.filter(({ kind }) => kind !== 'input').length
  const said: Said[] = [
    ...(waits === 0
      ? []
      : [{ says: `${waits === 1 ? '1 waits' : `${waits} wait`}, there and in`, command: `holdpoint holds${at}` }]),
    { says: 'Go on with', command: `holdpoint chat ${sessionId}${at}` },
  ]
  return said.map(each => setIn(each, io.width())).join('')
}

/** A command is never broken by a line end of ours, so that it can be copied. */
function setIn({ says, command }: Said, columns: number): string {
  const text = `${says}: ${command}`
  return textWidth(text) <= columns ? `${text}\n` : `${says}:\n  ${command}\n`
}
