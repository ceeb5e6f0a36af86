import type { DecisionInput, DecisionVerdict } from './decision.ts'
import { RefusedError } from './errors.ts'
import type { Hold, HoldKind } from './hold.ts'
import type { Json } from './json.ts'

const no = null

/** Which verdicts mean something for which hold. */
// biome-ignore format: the table is the documentation
export const MAY_SAY: Record<HoldKind, Record<DecisionVerdict, string | null>> = {
  approval:    { approve: 'runs the call',                 reject: 'refuses it',          edit: 'runs it with other arguments', respond: no,                                cancel: 'cancels it' },
  question:    { approve: no,                              reject: 'declines to answer',  edit: no,                             respond: 'answers',                         cancel: 'cancels it' },
  input:       { approve: 'accepts the text as final',     reject: no,                    edit: no,                             respond: 'says what comes next',            cancel: no },
  client_tool: { approve: no,                              reject: 'refuses the call',    edit: no,                             respond: 'gives its result',                cancel: 'cancels it' },
  in_doubt:    { approve: 'runs the call again',           reject: 'says that it failed', edit: no,                             respond: 'says that it happened: here is the result', cancel: 'cancels it' },
}

/** Why this decision cannot be recorded on this hold, or `null`. Says nothing of who got there first. */
export function objectionTo(hold: Pick<Hold, 'id' | 'kind' | 'choices'>, said: DecisionInput): RefusedError | null {
  if (MAY_SAY[hold.kind][said.verdict] === null) return meaningless(hold, said.verdict)
  if (said.verdict === 'edit' && !said.arguments) {
    return new RefusedError(
      'invalid_decision',
      `The edit of ${hold.id} has no arguments, so there is nothing to run instead.`,
    )
  }
  if (said.verdict !== 'respond') return null
  if (said.value === undefined || said.value === '' || said.value === null) {
    return new RefusedError('empty_answer', `The answer to ${hold.id} is empty, so nothing was recorded.`, {
      hint: 'Give the answer as text.',
    })
  }
  return notAChoice(hold, said.value)
}

function meaningless(hold: Pick<Hold, 'id' | 'kind'>, verdict: DecisionVerdict): RefusedError {
  const possible = Object.entries(MAY_SAY[hold.kind]).flatMap(([name, meaning]) =>
    meaning ? [`${name} (${meaning})`] : [],
  )
  return new RefusedError(
    'verdict_not_possible',
    `${hold.id} is a hold of kind ${hold.kind}: ${verdict} means nothing here.`,
    {
      hint: `Possible: ${possible.join(', ')}.`,
    },
  )
}

function notAChoice(hold: Pick<Hold, 'id' | 'choices'>, value: Json): RefusedError | null {
  if (hold.choices === null || hold.choices.some(choice => choice === value)) return null
  return new RefusedError('not_a_choice', `${JSON.stringify(value)} is not among the choices of ${hold.id}.`, {
    hint: `Choose one of: ${hold.choices.map(choice => JSON.stringify(choice)).join(', ')}.`,
  })
}
