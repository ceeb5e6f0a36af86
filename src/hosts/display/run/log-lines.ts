import type { JournalEvent } from '../../../core/journal/event.ts'
import type { Ephemeral } from '../../../ports/event-sink.ts'
import { PLAIN } from '../colours.ts'
import { Activity } from './activity.ts'
import { eventLine } from './event-lines.ts'

/** In characters: a log is read with tools, not in a window. */
const WIDTH = 200

/** The events of several runs as lines of a log. */
export class LogLines {
  readonly #activities = new Map<string, Activity>()

  /** `null` if there is nothing to tell. */
  hear(event: JournalEvent | Ephemeral): string | null {
    const activity = this.#activities.get(event.run_id) ?? new Activity()
    const told = { activity, detail: 'verbose', streams: false } as const
    const line = eventLine(event, told, { width: WIDTH, paint: PLAIN })
    activity.hear(event)
    const rests = event.kind === 'checkpoint.named' && event.data.reason !== 'step'
    if (rests) this.#activities.delete(event.run_id)
    else this.#activities.set(event.run_id, activity)
    return line
  }
}
