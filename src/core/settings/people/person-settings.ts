import { WANTED_EVENTS } from '../../notice/notice-event.ts'
import { PERSONAL_CHANNELS, type People, type PersonalChannel, type PersonSettings } from '../../notice/person.ts'
import { type QuietHours, readQuietHours } from '../../people/quiet-hours.ts'
import { isJsonObject, type Json } from '../../text/json.ts'

/** Reads `people`. @throws Error that names the fault. */
export function readPeople(written: Json): People {
  if (!isJsonObject(written)) throw new Error('people must be like { "ana": { "mail": "ana@example.org" } }')
  return Object.fromEntries(Object.entries(written).map(([name, person]) => [name, readPerson(name, person)]))
}

function readPerson(name: string, written: Json): PersonSettings {
  const at = `people.${name}`
  if (name.trim() === '' || name.startsWith('@')) throw new Error(`${at}: must be the name of a person, without @`)
  if (!isJsonObject(written)) throw new Error(`${at}: must be an object`)
  const { quiet = null, want = {}, ...addresses } = written
  for (const [key, value] of Object.entries(addresses)) refuseAddress(`${at}.${key}`, key, value)
  return { addresses, quiet: readQuiet(at, quiet), want: readWant(at, want, addresses) }
}

function refuseAddress(at: string, channel: string, value: Json): void {
  const form = Object.hasOwn(ADDRESSES, channel) ? ADDRESSES[channel as PersonalChannel] : null
  if (form === null) throw new Error(`${at}: known keys are ${KEYS.join(', ')}`)
  if (typeof value !== 'string' || !form.pattern.test(value)) throw new Error(`${at}: must be ${form.like}`)
}

function readQuiet(at: string, written: Json): QuietHours | null {
  if (written === null) return null
  const hours = typeof written === 'string' ? readQuietHours(written) : null
  if (hours) return hours
  throw new Error(`${at}.quiet: must be like "22:00-07:00 Europe/Berlin", with a time zone`)
}

/** Forms of one address each: nothing that a mail program could read as several. */
const ADDRESSES: Record<PersonalChannel, { readonly pattern: RegExp; readonly like: string }> = {
  mail: { pattern: /^[^\s@<>,;:"()[\]\\]+@[^\s@<>,;:"()[\]\\]+$/, like: 'one mail address, like "ana@example.org"' },
  slack: { pattern: /^[UW][A-Z0-9]{2,}$/, like: 'the id of a member of Slack, like "U012AB3CD"' },
  github: { pattern: /^[A-Za-z0-9-]+(\[bot\])?$/, like: 'a login at GitHub, without @' },
}

const KEYS = [...PERSONAL_CHANNELS, 'quiet', 'want']

function readWant(at: string, written: Json, addresses: object): PersonSettings['want'] {
  if (!isJsonObject(written)) throw new Error(`${at}.want: must be like { "opened": ["slack"] }`)
  for (const [event, channels] of Object.entries(written)) {
    if (!(WANTED_EVENTS as readonly string[]).includes(event))
      throw new Error(`${at}.want.${event}: known events are ${WANTED_EVENTS.join(', ')}`)
    if (!Array.isArray(channels)) throw new Error(`${at}.want.${event}: must be a list of channels`)
    const without = channels.find(channel => !Object.hasOwn(addresses, String(channel)))
    if (without !== undefined)
      throw new Error(`${at}.want.${event}: there is no address for ${JSON.stringify(without)}; write it beside want`)
  }
  return written as PersonSettings['want']
}
