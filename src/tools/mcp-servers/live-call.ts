/**
 * One call under way. It may outlive the attempt of its tool: while its server asks people, the attempt ends, the call
 * waits as long as the connection lives, and the next attempt goes on with it.
 */
import { randomUUID } from 'node:crypto'
import type { ElicitRequestParams, ElicitResult, Progress } from '@modelcontextprotocol/client'
import { onAbort } from '../../async/on-abort.ts'
import type { ToolReport } from '../../ports/agent/tool.ts'
import { type CallAnswer, DECLINED } from './elicitation.ts'

export type CallEvent =
  | { readonly type: 'ended'; readonly result: CallAnswer }
  | { readonly type: 'asks'; readonly params: ElicitRequestParams }

interface Asking {
  readonly params: ElicitRequestParams
  readonly answered: PromiseWithResolvers<ElicitResult>
}

export class LiveCall {
  /** By which its server says what it reports about. */
  readonly token: string = randomUUID()
  /** Aborted when the call is stopped, or had no sign of life for too long. */
  readonly #stop = new AbortController()
  readonly #timeoutMs: number
  #timer: NodeJS.Timeout | null = null
  #isLate = false
  #result: Promise<CallEvent> | null = null
  #asking: Asking | null = null
  #asks = Promise.withResolvers<CallEvent>()
  #report: (part: ToolReport) => void = () => {}

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs
  }

  get signal(): AbortSignal {
    return this.#stop.signal
  }

  /** True if it was stopped on purpose, and not for want of a sign of life. */
  get isStopped(): boolean {
    return this.signal.aborted && !this.#isLate
  }

  get isAsking(): boolean {
    return this.#asking !== null
  }

  begin(result: Promise<CallAnswer>): void {
    this.#result = result.then(given => ({ type: 'ended', result: given }))
    this.#result.catch(() => {}).finally(() => this.#quiet())
  }

  /** The end of the call, or the next question of its server. While it is awaited, `signal` stops the call. */
  async next(signal: AbortSignal, report: (part: ToolReport) => void): Promise<CallEvent> {
    this.#report = report
    using _stop = onAbort(signal, () => this.#stop.abort(signal.reason))
    try {
      return await Promise.race([
        this.#result ?? Promise.reject(new Error('the call has not begun')),
        this.#asks.promise,
      ])
    } finally {
      this.#report = () => {}
    }
  }

  /** Called when the server asks: resolves to the answer. A second question at a time is declined. */
  ask(params: ElicitRequestParams): Promise<ElicitResult> {
    if (this.#asking) return Promise.resolve(DECLINED)
    this.#quiet()
    const answered = Promise.withResolvers<ElicitResult>()
    this.#asking = { params, answered }
    this.#asks.resolve({ type: 'asks', params })
    return answered.promise
  }

  answer(result: ElicitResult): void {
    this.#asking?.answered.resolve(result)
    this.#asking = null
    this.#asks = Promise.withResolvers()
    this.showsLife()
  }

  progress({ progress, total, message }: Progress): void {
    this.showsLife()
    const count = total === undefined ? `${progress}` : `${progress}/${total}`
    this.#report({ delta: `${message === undefined ? count : `${message} (${count})`}\n`, stream: 'progress' })
  }

  /** Ends a call that nobody waits for any more. */
  stop(): void {
    this.#stop.abort(new Error('nobody waits for it'))
  }

  /** Its time begins anew, unless people are asked. */
  showsLife(): void {
    this.#quiet()
    if (this.#asking) return
    this.#timer = setTimeout(() => this.#giveUp(), this.#timeoutMs)
  }

  #giveUp(): void {
    this.#isLate = true
    this.#stop.abort(new Error('Request timed out'))
  }

  /** Time that people take does not count. */
  #quiet(): void {
    if (this.#timer) clearTimeout(this.#timer)
  }
}
