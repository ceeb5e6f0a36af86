import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type Choice, decide, type Outcome } from '../api/decisions.ts'
import type { HoldView } from '../api/documents.ts'

export interface Deciding {
  readonly isBusy: boolean
  /** Of the last try; `null` before one. */
  readonly outcome: Outcome | null
  decide(choice: Choice): Promise<Outcome>
  /** The last choice again, as the same decision. */
  again(): void
  clear(): void
}

export function useDecision(hold: HoldView): Deciding {
  const queries = useQueryClient()
  const [isBusy, setBusy] = useState(false)
  const [last, setLast] = useState<Choice | null>(null)
  const [outcome, setOutcome] = useState<Outcome | null>(null)
  const send = async (choice: Choice) => {
    setBusy(true)
    setLast(choice)
    setOutcome(null)
    const told = await decide(hold, choice)
    if (told.outcome !== 'unanswered') await queries.invalidateQueries({ queryKey: ['hold', hold.id] })
    setOutcome(told)
    setBusy(false)
    return told
  }
  return { isBusy, outcome, decide: send, again: () => last && void send(last), clear: () => setOutcome(null) }
}
