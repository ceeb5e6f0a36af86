import type { KeyboardEvent } from 'react'

/**
 * Ctrl+Enter (Cmd+Enter) sends from any field of a form. Enter alone does not: the fields below it may not be filled in
 * yet. Returns true if the key sends.
 */
export function isSendKey({ key, ctrlKey, metaKey, nativeEvent }: KeyboardEvent): boolean {
  return key === 'Enter' && (ctrlKey || metaKey) && !nativeEvent.isComposing
}

/** For a form of several fields. */
export function sendByKey(event: KeyboardEvent<HTMLFormElement>): void {
  if (event.key !== 'Enter') return
  const isLine = event.target instanceof HTMLInputElement
  if (isSendKey(event)) event.currentTarget.requestSubmit()
  if (isSendKey(event) || isLine) event.preventDefault()
}

/** The first field that says why its value does not fit. */
export function focusFault(form: HTMLElement | null): void {
  const found = form?.querySelector('[aria-invalid=true]')
  const control = found?.matches('fieldset') ? found.querySelector('input, select, textarea, button') : found
  if (control instanceof HTMLElement) control.focus()
}
