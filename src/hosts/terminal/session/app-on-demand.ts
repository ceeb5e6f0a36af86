import type { JournalEvent } from '../../../core/journal/event.ts'
import { textWidth } from '../../../core/text/text-width.ts'
import type { CommandContext } from '../../command/command.ts'
import { placeFlags } from '../../command/flag-values.ts'
import type { App } from '../../compose/compose.ts'

/** A store that is opened when it is first needed: a person who begins a session and sends nothing leaves none. */
export class AppOnDemand implements AsyncDisposable {
  readonly #open: () => Promise<App>
  #app: Promise<App> | null = null

  constructor(open: () => Promise<App>) {
    this.#open = open
  }

  get isOpen(): boolean {
    return this.#app !== null
  }

  /** Opens the app once. @throws RefusedError or StoreError; the next call tries anew. */
  open(): Promise<App> {
    this.#app ??= this.#open().catch(thrown => {
      this.#app = null
      throw thrown
    })
    return this.#app
  }

  /** The events of a session; none if nothing is stored yet. */
  async journal(sessionId: string): Promise<readonly JournalEvent[]> {
    return this.isOpen ? (await this.open()).holdpoint.journal(sessionId) : []
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#app)?.[Symbol.asyncDispose]()
  }
}

interface Said {
  readonly says: string
  readonly command: string
}

/** The command that resumes the session, and what waits; empty if no message was sent. */
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
  const lines: Said[] = [
    ...(waits === 0
      ? []
      : [{ says: `${waits === 1 ? '1 waits' : `${waits} wait`}, there and in`, command: `holdpoint holds${at}` }]),
    { says: 'Go on with', command: `holdpoint chat ${sessionId}${at}` },
  ]
  return lines.map(each => setIn(each, io.width())).join('')
}

/** A command is never broken by a line end of ours, so that it can be copied. */
function setIn({ says, command }: Said, columns: number): string {
  const text = `${says}: ${command}`
  return textWidth(text) <= columns ? `${text}\n` : `${says}:\n  ${command}\n`
}
