/** Modals. All their texts are `plain_text`, in which Slack finds no mention, link or format. */
import type { Hold } from '../../core/hold/hold.ts'
import { usualMessage } from '../../core/hold/hold.ts'
import { type ButtonValue, buttonName, writeButton } from '../../core/notice/notice-button.ts'
import type { JsonObject } from '../../core/text/json.ts'
import { visibleText } from '../../core/text/visible-text.ts'
import { SAID } from './interaction.ts'

interface Asking {
  readonly title: string
  readonly submit: string
  readonly label: string
  readonly isOptional: boolean
}

const ASKING: Record<'reject' | 'answer', Asking> = {
  reject: { title: 'Reject', submit: 'Reject', label: 'Why (the agent reads this)', isOptional: true },
  answer: { title: 'Answer', submit: 'Answer', label: 'Your answer', isOptional: false },
}

/** Slack takes 3,000 characters. */
const LONGEST_TEXT = 3_000
const LONGEST_ASKED = 1_000

/** Asks for the words that go with a rejection or an answer. */
export function askingView(action: 'reject' | 'answer', hold: Hold, value: ButtonValue): JsonObject {
  const { title, submit, label, isOptional } = ASKING[action]
  return {
    type: 'modal',
    callback_id: buttonName(action),
    private_metadata: writeButton(value),
    title: plain(title),
    submit: plain(submit),
    close: plain('Cancel'),
    blocks: [
      section(asked(hold)),
      {
        type: 'input',
        block_id: SAID,
        optional: isOptional,
        label: plain(label),
        element: { type: 'plain_text_input', action_id: SAID, multiline: true, max_length: LONGEST_TEXT },
      },
    ],
  }
}

/** In the place of a modal whose text was not taken. */
export function tellingView(message: string): JsonObject {
  return { type: 'modal', title: plain('Not recorded'), close: plain('Close'), blocks: [section(message)] }
}

function asked({ id, message, tool, agent }: Hold): string {
  const request = visibleText(message === '' ? usualMessage(tool ?? '') : message)
  const shown =
    request.length > LONGEST_ASKED ? `${request.slice(0, LONGEST_ASKED)}… (cut; the message has more)` : request
  return `${shown}\n${agent}, ${id}`
}

function section(text: string): JsonObject {
  return { type: 'section', text: plain(text.slice(0, LONGEST_TEXT)) }
}

function plain(text: string): JsonObject {
  return { type: 'plain_text', text, emoji: false }
}
