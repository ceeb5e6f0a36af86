import { useState } from 'react'

/** A text that a person has written and not sent. It outlives a reload and a new sign-in, and ends with the tab. */
export function useDraft<T>(name: string, first: T): readonly [T, (value: T) => void, drop: () => void] {
  const key = `holdpoint.draft.${name}`
  const [value, set] = useState<T>(() => kept(key) ?? first)
  const change = (next: T) => {
    set(next)
    sessionStorage.setItem(key, JSON.stringify(next))
  }
  const drop = () => {
    set(first)
    sessionStorage.removeItem(key)
  }
  return [value, change, drop]
}

function kept<T>(key: string): T | null {
  const text = sessionStorage.getItem(key)
  return text === null ? null : (JSON.parse(text) as T)
}
