import { useEffect, useRef } from 'react'
import { rowOf, type Verb } from './keys.ts'

export type Verbs = { readonly [V in Verb]?: () => void }

/** The parts of the page that take keys, the newest last. */
const takers: { current: Verbs }[] = []

/** While the part is shown, its verbs are on their keys. */
export function useVerbs(verbs: Verbs): void {
  const taker = useRef(verbs)
  taker.current = verbs
  useEffect(() => {
    takers.push(taker)
    return () => {
      takers.splice(takers.indexOf(taker), 1)
    }
  }, [])
}

/** Once for the page. */
export function useKeyboard(): void {
  useEffect(() => {
    addEventListener('keydown', take)
    return () => removeEventListener('keydown', take)
  }, [])
}

/** A dialog or a menu: keys are for what lies on top, and the browser closes it by Escape. */
const OPEN_ABOVE = 'dialog[open], :popover-open'

function take(event: KeyboardEvent): void {
  const focused = event.target instanceof HTMLElement ? event.target : document.body
  if (event.defaultPrevented || document.querySelector(OPEN_ABOVE)) return
  const isInField = focused.matches('input:not([type=checkbox]), textarea, select, [contenteditable]')
  if (isInField && event.key === 'Escape') focused.blur()
  const row = rowOf({
    key: event.key,
    isHeld: event.repeat,
    isOthers: event.ctrlKey || event.metaKey || event.altKey || event.isComposing,
    isInField,
    isOnControl: focused.matches('button, a, summary, input'),
  })
  const act = row && takers.findLast(({ current }) => current[row.verb])?.current[row.verb]
  if (!act) return
  event.preventDefault()
  // What had the focus was left by the key: Enter is not to press it now.
  if (row.verb !== 'help') focused.blur()
  act()
}
