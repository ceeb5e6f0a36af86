import { RefusedError } from '../../../core/errors.ts'
import { modelName, type Profile, type ProfileChanges } from '../../../core/run/profile.ts'
import type { AdvanceOptions, AdvanceResult } from '../../../runtime/views/face-options.ts'

/** The settings of a session, and what of them a person changed since they were last put on record. */
export class SessionSettings {
  #profile: Profile | null
  #changes: ProfileChanges | null

  constructor(before: Profile | null, changes: ProfileChanges | null) {
    this.#profile = before && { ...before, ...changes }
    this.#changes = changes
  }

  get agent(): string {
    return this.#profile?.agent ?? 'agent'
  }

  get model(): string | null {
    return this.#profile && modelName(this.#profile)
  }

  /** Not on record yet; `null` if there are none. */
  get changes(): ProfileChanges | null {
    return this.#changes
  }

  /** With all changes. @throws RefusedError if no run is known. */
  get profile(): Profile {
    if (this.#profile) return this.#profile
    throw new RefusedError('unknown_session', 'The settings of this session are unknown here.')
  }

  /** Between messages the run is over, as on the command line. A run that pauses for each text keeps doing so. */
  get pauses(): AdvanceOptions {
    return this.#profile?.pause_on.includes('input') ? {} : { pauseOn: [] }
  }

  change(changes: ProfileChanges): void {
    this.#changes = { ...this.#changes, ...changes }
    this.#profile = { ...this.profile, ...changes }
  }

  /** Settings of a run that begins: all of them are put on record. */
  async begin<Started>(start: (profile: Profile) => Promise<Started>): Promise<Started> {
    const changes = this.#changes
    const started = await start(this.profile)
    if (this.#changes === changes) this.#changes = null
    return started
  }

  /** The changes go along with an advance, once; if none came about, with the next one. */
  async along(advance: (changes: ProfileChanges | null) => Promise<AdvanceResult>): Promise<AdvanceResult> {
    const changes = this.#changes
    this.#changes = null
    const keep = () => {
      if (changes) this.#changes = { ...changes, ...this.#changes }
    }
    try {
      const result = await advance(changes)
      if (result.status === 'busy') keep()
      return result
    } catch (thrown) {
      keep()
      throw thrown
    }
  }
}
