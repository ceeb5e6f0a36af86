import { type Head, headText, readHead } from './chain-check.ts'

const KEY = 'holdpoint.audit-heads'

/** Oldest first. More would not prove more: each covers all that is before it. */
const MOST = 3

/** The ends of the log that this browser found without a fault. */
export function keptHeads(): readonly Head[] {
  return (localStorage.getItem(KEY) ?? '').split(' ').flatMap(text => readHead(text) ?? [])
}

export function noteHead(head: Head): void {
  const others = keptHeads().filter(({ seq }) => seq !== head.seq)
  localStorage.setItem(KEY, [...others, head].slice(-MOST).map(headText).join(' '))
}
