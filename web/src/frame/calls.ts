/**
 * How the page calls somebody who looks elsewhere: a count in its title and on its icon; and, if they chose so, a
 * notification and a sound. A notification leads to the card, and decides nothing.
 */
import { useEffect } from 'react'
import { onChange, type Poke } from '../api/changes.ts'
import { get, type Query } from '../api/client.ts'
import { serverNow } from '../api/clock.ts'
import type { Change, Documents, HoldRow } from '../api/documents.ts'
import { NOTIFIES, SOUNDS } from '../api/setting.ts'
import { closeDecided, closeNotification, followClicks, showNotification } from './notifications.ts'

const TITLE = 'Holdpoint'

export function useCalls(waiting: string): void {
  useEffect(() => {
    document.title = waiting === '' ? TITLE : `(${waiting}) ${TITLE}`
    const icon = document.querySelector<HTMLLinkElement>('link[rel=icon]')
    if (icon) icon.href = `data:image/svg+xml,${encodeURIComponent(iconWith(waiting))}`
  }, [waiting])
  useEffect(() => {
    const calls = new Calls()
    return onChange(poke => void calls.answer(poke).catch(() => {}))
  }, [])
  useEffect(followClicks, [])
  useEffect(() => void renew().catch(() => {}), [])
}

/** A subscription ends with its session, so who signs in again is subscribed again. */
async function renew(): Promise<void> {
  if (!NOTIFIES.get() || Notification.permission !== 'granted') return
  await closeDecided()
  const { subscribeToPushes } = await import('./pushes.ts')
  await subscribeToPushes()
}

/** What was decided elsewhere calls nobody any more. */
const OVER: readonly string[] = ['hold.decided', 'hold.expired', 'hold.withdrawn']

/** Each hold calls once, also if it opened while no change reached the page. */
class Calls {
  readonly #called = new Set<string>()
  /** In milliseconds since 1970: what opened earlier calls nobody. */
  #since = serverNow()

  async answer(poke: Poke): Promise<void> {
    if (poke === 'all') return this.#callMissed()
    const { kind, hold_id, run_id } = poke
    if (!hold_id) return
    if (kind === 'hold.opened') await this.#callOpened(hold_id, run_id)
    if (OVER.includes(kind)) await closeNotification(hold_id)
  }

  async #callOpened(id: string, run_id: Change['run_id']): Promise<void> {
    if (isLooking()) this.#called.add(id)
    else await this.#call({ run_id }, hold => hold.id === id)
  }

  async #callMissed(): Promise<void> {
    const since = this.#since
    if (isLooking()) this.#since = serverNow()
    else await this.#call({}, ({ opened_at }) => Date.parse(opened_at) > since)
  }

  /** Nobody is called who may not decide it. A request that fails leaves the hold for the next look. */
  async #call(query: Query, isMeant: (hold: HoldRow) => boolean): Promise<void> {
    if (!NOTIFIES.get() && !SOUNDS.get()) return
    const { holds } = await get<Documents['Inbox']>('/v1/inbox', { ...query, mine: true, limit: 500 })
    const rows = holds.filter(hold => isMeant(hold) && hold.may_decide === true && !this.#called.has(hold.id))
    for (const { id } of rows) this.#called.add(id)
    if (SOUNDS.get() && rows.length > 0) sound()
    if (NOTIFIES.get()) await Promise.all(rows.map(notify))
  }
}

function isLooking(): boolean {
  return document.hasFocus()
}

function iconWith(waiting: string): string {
  const sign =
    '<rect width="32" height="32" rx="8" fill="#3f51c5"/><path d="M11 8.5v15M21 8.5v15" stroke="#fff" stroke-width="4" stroke-linecap="round"/>'
  const digits = waiting.length > 2 ? '99' : waiting
  const badge = `<rect x="${digits.length > 1 ? 9 : 14}" y="14" width="${digits.length > 1 ? 23 : 18}" height="18" rx="9" fill="#c62828"/><text x="${digits.length > 1 ? 20.5 : 23}" y="28" font-family="sans-serif" font-weight="700" font-size="14" text-anchor="middle" fill="#fff">${digits}</text>`
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">${sign}${waiting === '' ? '' : badge}</svg>`
}

function notify({ id, title, agent, task }: HoldRow): Promise<void> {
  const body = [agent, task?.text ?? ''].filter(part => part !== '').join(' · ')
  return showNotification({ id, title, body })
}

const SOUND_HZ = 660
const SOUND_SECONDS = 0.18
const LOUDNESS = 0.08

export function sound(): void {
  const audio = new AudioContext()
  const tone = audio.createOscillator()
  const volume = audio.createGain()
  tone.frequency.value = SOUND_HZ
  volume.gain.setValueAtTime(LOUDNESS, audio.currentTime)
  volume.gain.exponentialRampToValueAtTime(0.001, audio.currentTime + SOUND_SECONDS)
  tone.connect(volume).connect(audio.destination)
  tone.onended = () => void audio.close()
  tone.start()
  tone.stop(audio.currentTime + SOUND_SECONDS)
}
