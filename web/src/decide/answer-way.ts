import type { HoldKind, HoldView } from '../api/documents.ts'

/** How a hold is answered, and where: few choices and text in the bar, the others in the card. */
export type AnswerWay = 'few-choices' | 'many-choices' | 'text' | 'form'

const MOST_IN_BAR = 5
/** In code units, all choices together. */
const LONGEST_IN_BAR = 120

export function answerWay({ choices, response_schema: schema }: HoldView): AnswerWay {
  if (choices !== null) {
    const isShort = choices.length <= MOST_IN_BAR && choices.join('').length <= LONGEST_IN_BAR
    return isShort ? 'few-choices' : 'many-choices'
  }
  if (schema === null) return 'text'
  const isText = schema['type'] === 'string' && !('enum' in schema) && !('format' in schema)
  return isText ? 'text' : 'form'
}

export const ANSWER_NAMES: Readonly<Record<HoldKind, string>> = {
  approval: 'Answer',
  question: 'Your answer',
  input: 'What comes next',
  client_tool: 'The result of the call',
  in_doubt: 'It happened: the result of the call',
}

/** The button in the bar sends the form in the card. */
export function formIdOf({ id }: HoldView): string {
  return `answer-${id}`
}

/** Once the panel is drawn, its first field or choice has the focus. */
export function focusAnswer(hold: HoldView): void {
  requestAnimationFrame(() => {
    document.getElementById(formIdOf(hold))?.querySelector<HTMLElement>('input, select, textarea, button')?.focus()
  })
}
