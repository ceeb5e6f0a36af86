import type { ChangedBy, JournalEvent } from '../../journal/event.ts'
import { upcast } from '../../journal/upcast.ts'
import type { Profile, ProfileChanges } from '../../run/profile.ts'
import type { Setting } from '../../run/widening.ts'
import type { Json } from '../../text/json.ts'
import type { Reconfigured } from './explained-run.ts'

/** P10: the settings of each run of a thread, and the author of each change. It takes all events of the thread, in order. */
export class SettingsHistory {
  readonly #changes = new Map<string, Reconfigured[]>()
  #before: ProfileChanges = {}

  take(event: JournalEvent): void {
    if (event.kind === 'run.started') this.#started(event)
    if (event.kind === 'run.configured') this.#configured(event)
  }

  changesOf(runId: string): readonly Reconfigured[] {
    return this.#changes.get(runId) ?? []
  }

  #started(event: JournalEvent & { readonly kind: 'run.started' }): void {
    const { profile, changed } = upcast(event)
    if (changed) this.#add(event, { ...changed, is: profile })
    this.#before = profile
  }

  #configured(event: JournalEvent & { readonly kind: 'run.configured' }): void {
    const { changes, ...changed } = upcast(event)
    const settings = Object.keys(changes) as Setting[]
    this.#add(event, { ...changed, settings, is: changes })
    this.#before = { ...this.#before, ...changes }
  }

  #add({ run_id, seq, at }: JournalEvent, change: SettingsChange): void {
    const { by = null, surface = null, widened = [], settings, is } = change
    const valueIn = (profile: ProfileChanges | Profile, setting: Setting) => (profile[setting] ?? null) as Json
    const changes = settings.map(setting => ({
      setting,
      was: valueIn(this.#before, setting),
      is: valueIn(is, setting),
      widens: widened.includes(setting),
    }))
    this.#changes.set(run_id, [...this.changesOf(run_id), { seq, at, by, surface, changes }])
  }
}

type SettingsChange = Partial<ChangedBy> & {
  readonly settings: readonly Setting[]
  readonly is: ProfileChanges | Profile
}
