import { isJsonObject, isTooDeep, type Json } from '../text/json.ts'

/** The effect of a button under a notice. `answer` and `reject` ask for words first. */
export type ButtonAction = 'approve' | 'reject' | 'answer' | 'choose'

/** The value that a button carries to its click: ids and a digest, never arguments. */
export interface ButtonValue {
  readonly hold_id: string
  /** The digest that the notice shows; `null` if the hold has none. */
  readonly digest: string | null
  /** The level of escalation that the notice shows. */
  readonly level: number
  /** The choice, counted from 0; `null` for a button that is no choice. */
  readonly choice: number | null
}

const ACTIONS: Record<ButtonAction, true> = { approve: true, reject: true, answer: true, choose: true }
const OURS = 'holdpoint.'

/** The name of a button. Choices end with their number, because the names within one message must differ. */
export function buttonName(action: ButtonAction | 'open', choice: number | null = null): string {
  return `${OURS}${action}${choice ?? ''}`
}

/** The action of a button with this name; `null` if it is not ours, or needs no answer. */
export function actionOf(name: string): ButtonAction | null {
  const action = name.startsWith(OURS) ? name.slice(OURS.length).replace(/\d+$/, '') : ''
  return Object.hasOwn(ACTIONS, action) ? (action as ButtonAction) : null
}

export function writeButton({ hold_id, digest, level, choice }: ButtonValue): string {
  return JSON.stringify({ h: hold_id, d: digest, l: level, ...(choice !== null && { c: choice }) })
}

/** `null` if the text is no value of a button of ours. */
export function readButton(written: string): ButtonValue | null {
  const value = parsed(written)
  if (!isJsonObject(value) || isTooDeep(value)) return null
  const { h: hold_id, d: digest = null, l: level, c: choice = null } = value
  if (typeof hold_id !== 'string' || typeof level !== 'number') return null
  if ((digest !== null && typeof digest !== 'string') || (choice !== null && typeof choice !== 'number')) return null
  return { hold_id, digest, level, choice }
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch {
    return null
  }
}
