/** Converts a hold to a form for the person at a client, and their answer to a decision. */

import { RefusedError } from '../../../core/errors.ts'
import { answerValue } from '../../../core/hold/answer-value.ts'
import type { DecisionInput } from '../../../core/hold/decision.ts'
import type { Hold, HoldKind } from '../../../core/hold/hold.ts'
import type { Json } from '../../../core/text/json.ts'
import { answerFields, answerIn } from './answer-fields.ts'
import type { Filled, Form } from './form.ts'

export type FormAnswer = Pick<DecisionInput, 'verdict' | 'value' | 'reason'>

interface Dialogue {
  form(hold: Hold): Form
  /** @throws RefusedError if the form holds nothing that can be recorded. */
  said(hold: Hold, filled: Filled): FormAnswer
}

const REASON = {
  type: 'string',
  title: 'Reason',
  description: 'Recorded; the agent sees it when you reject. May be left empty.',
} as const

/** The possible verdicts on each kind of hold (core/hold/objection.ts), as far as a form can express them. */
const DIALOGUES: Record<HoldKind, Dialogue> = {
  approval: {
    form: () => choosing({ approve: 'Approve', reject: 'Reject' }, { reason: REASON }),
    said: (hold, filled) => ({ verdict: chosen(hold, filled, ['approve', 'reject']), reason: text(filled, 'reason') }),
  },
  question: {
    form: answerFields,
    said: (hold, filled) => ({ verdict: 'respond', value: answerIn(hold, filled) }),
  },
  input: {
    form: () =>
      choosing(
        { respond: 'Reply', approve: 'Accept the text as final' },
        { reply: { type: 'string', title: 'Reply', description: 'What the agent is told, where you reply.' } },
      ),
    said: (hold, filled) => withValue(chosen(hold, filled, ['respond', 'approve']), text(filled, 'reply') ?? ''),
  },
  client_tool: {
    form: answerFields,
    said: (hold, filled) => ({ verdict: 'respond', value: answerIn(hold, filled) }),
  },
  in_doubt: {
    form: () =>
      choosing(
        { approve: 'Run it again', respond: 'It happened', reject: 'It failed' },
        { result: { type: 'string', title: 'Result', description: 'What the call gave, where it happened.' } },
      ),
    said: (hold, filled) =>
      withValue(
        chosen(hold, filled, ['approve', 'respond', 'reject']),
        answerValue(text(filled, 'result') ?? 'It happened.', hold),
      ),
  },
}

export function formFor(hold: Hold): Form {
  return DIALOGUES[hold.kind].form(hold)
}

export function saidIn(hold: Hold, filled: Filled): FormAnswer {
  return DIALOGUES[hold.kind].said(hold, filled)
}

function choosing(choices: Readonly<Record<string, string>>, more: Form['properties']): Form {
  const oneOf = Object.entries(choices).map(([value, title]) => ({ const: value, title }))
  return {
    type: 'object',
    properties: { decision: { type: 'string', title: 'Decision', oneOf }, ...more },
    required: ['decision'],
  }
}

function chosen<const V extends FormAnswer['verdict']>(hold: Hold, { decision }: Filled, verdicts: readonly V[]): V {
  const verdict = verdicts.find(each => each === decision)
  if (verdict) return verdict
  throw new RefusedError(
    'no_decision',
    `What came back for ${hold.id} is no decision: ${JSON.stringify(decision ?? null)}.`,
    { hint: `Nothing was recorded. It must be one of: ${verdicts.join(', ')}. Ask again.` },
  )
}

function withValue(verdict: FormAnswer['verdict'], value: Json): FormAnswer {
  return verdict === 'respond' ? { verdict, value } : { verdict }
}

function text(filled: Filled, field: string): string | null {
  const value = filled[field]
  return typeof value === 'string' && value.trim() !== '' ? value : null
}
