import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type Choice, decide, type Outcome } from '../api/decisions.ts'
import type { HoldView } from '../api/documents.ts'
import type { ProblemDocument } from '../api/problem.ts'

export interface Deciding {
  readonly isBusy: boolean
  /** The outcome of the last try; `null` before one. */
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

const ISSUE = /(?:^|[:;] )(?:body\.)?(?:arguments|value|answer)((?:[.[][^:;]*?)?): ([^;]+)/g

/** Path to message, for the fields that a refusal is about; empty if it is about none. */
export function faultsIn({ errors, detail }: ProblemDocument): Readonly<Record<string, string>> {
  const told = errors?.map(
    ({ path, message }) => [path.replace(/^(body\.)?(arguments|value|answer)\b/, ''), message] as const,
  )
  const found = [...detail.matchAll(ISSUE)].map(([, path = '', message = '']) => [path, message] as const)
  return Object.fromEntries((told ?? found).map(([path, message]) => [path.replace(/^\./, ''), inSentence(message)]))
}

function inSentence(message: string): string {
  return `${message.charAt(0).toUpperCase()}${message.slice(1).replace(/\.$/, '')}.`
}
