/** Times as JSON Schema writes them (RFC 3339), and as the fields of a browser take them: in the clock of the reader. */

export type TimeKind = 'date' | 'time' | 'date-time'

const DATE = /^\d{4}-\d{2}-\d{2}$/
const TIME = /^(\d{2}:\d{2}(?::\d{2})?)(Z|[+-]\d{2}:\d{2})$/i
const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.0+)?(Z|[+-]\d{2}:\d{2})$/i

/** What a field of a browser shows for this value; `null` if it could not show it exactly. */
export function localText(kind: TimeKind, value: string): string | null {
  return value === '' ? '' : SHOWN[kind](value)
}

const SHOWN: Readonly<Record<TimeKind, (value: string) => string | null>> = {
  date: value => (DATE.test(value) && dayOf(value) === value ? value : null),
  time: value => {
    const [, clock = '', zone = ''] = TIME.exec(value) ?? []
    return zone === offsetOf(new Date()) ? clock : null
  },
  'date-time': value => {
    const moment = new Date(value)
    return DATE_TIME.test(value) && !Number.isNaN(moment.getTime()) ? localMoment(moment) : null
  },
}

/** The value for what the field has; `''` for an empty field. */
export function writtenTime(kind: TimeKind, local: string): string {
  if (local === '' || kind === 'date') return local
  const hasSeconds = local.split(':').length === 3
  return `${hasSeconds ? local : `${local}:00`}${offsetOf(kind === 'time' ? new Date() : new Date(local))}`
}

/** Of this reader at this moment: `+02:00`, `Z`. */
export function offsetOf(moment: Date): string {
  const minutes = -moment.getTimezoneOffset()
  if (minutes === 0 || Number.isNaN(minutes)) return 'Z'
  const sign = minutes < 0 ? '-' : '+'
  return `${sign}${twoDigits(Math.trunc(Math.abs(minutes) / 60))}:${twoDigits(Math.abs(minutes) % 60)}`
}

function localMoment(moment: Date): string {
  const date = [String(moment.getFullYear()).padStart(4, '0'), moment.getMonth() + 1, moment.getDate()]
  const clock = [moment.getHours(), moment.getMinutes(), moment.getSeconds()]
  return `${date.map(twoDigits).join('-')}T${clock.map(twoDigits).join(':')}`
}

function twoDigits(number: number | string): string {
  return String(number).padStart(2, '0')
}

function dayOf(value: string): string | null {
  const day = new Date(`${value}T00:00:00Z`)
  return Number.isNaN(day.getTime()) ? null : day.toISOString().slice(0, 10)
}
