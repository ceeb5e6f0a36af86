import { useState } from 'react'
import { wordsOf } from '../api/problem.ts'

interface RequestState {
  readonly busy: boolean
  /** Why the last request failed; `null` if it did not. */
  readonly trouble: string | null
  /** Runs `work`, which sends a request. */
  readonly send: (work: () => Promise<unknown>) => Promise<void>
}

/** The state of a request that a person makes by a button. */
export function useRequest(): RequestState {
  const [busy, setBusy] = useState(false)
  const [trouble, setTrouble] = useState<string | null>(null)
  const send = async (work: () => Promise<unknown>) => {
    setBusy(true)
    setTrouble(null)
    await work().catch(thrown => setTrouble(wordsOf(thrown)))
    setBusy(false)
  }
  return { busy, trouble, send }
}
