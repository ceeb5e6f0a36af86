import type { ToolReport } from '../../ports/agent/tool.ts'
import { pluginsWith } from '../session/phases.ts'
import type { RunSession } from '../session/run-session.ts'

/** Characters of one call: what prints without end is not told without end. The result has its own bounds. */
const MOST_TOLD = 1024 * 1024

/** Tells the output of one call while it runs. */
export class CallReports {
  readonly #session: RunSession
  readonly #callId: string
  #left = 0

  constructor(session: RunSession, callId: string) {
    this.#session = session
    this.#callId = callId
  }

  /** A plugin that looks at results may withhold a secret: then nothing is told before it has looked. */
  async open(): Promise<void> {
    const looking = await pluginsWith(this.#session, 'afterToolExecute')
    if (looking.length === 0) this.#left = MOST_TOLD
  }

  readonly tell = ({
    delta,
    stream = null,
  }: Omit<ToolReport, 'stream'> & { readonly stream?: string | null }): void => {
    const told = delta.slice(0, this.#left)
    if (told === '') return
    this.#left -= told.length
    this.#session.tell({ kind: 'tool_output.delta', data: { call_id: this.#callId, stream, delta: told } })
  }

  close(): void {
    this.#left = 0
  }
}
