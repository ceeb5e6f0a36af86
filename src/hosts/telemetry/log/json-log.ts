import type { JsonObject } from '../../../core/text/json.ts'
import { jsonLine } from '../../../core/text/visible-text.ts'
import type { Clock } from '../../../ports/clock.ts'

export type LogLevel = 'info' | 'warn' | 'error'

/** A log of one JSON object a line, for the tools that collect logs. */
export class JsonLog {
  readonly #out: (text: string) => void
  readonly #clock: Pick<Clock, 'now'>

  constructor(out: (text: string) => void, clock: Pick<Clock, 'now'>) {
    this.#out = out
    this.#clock = clock
  }

  /** `fields` are ids, names, codes and counts: what was said, written and returned is in the journal alone. */
  write(level: LogLevel, event: string, fields: JsonObject = {}): void {
    this.#out(jsonLine({ time: new Date(this.#clock.now()).toISOString(), level, event, ...fields }))
  }
}
