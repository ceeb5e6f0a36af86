/** Modals of Slack. All their texts are `plain_text`, in which Slack finds no mention, link or format. */
import type { Hold } from '../../core/hold/hold.ts'
import { thingNamed } from '../../core/hold-view/blocks/act-words.ts'
import { noticeBody } from '../../core/notice/notice-body.ts'
import { type ButtonValue, buttonName, writeButton } from '../../core/notice/notice-button.ts'
import type { JsonObject } from '../../core/text/json.ts'
import { visibleLine } from '../../core/text/visible-text.ts'
import { SAID } from './interaction.ts'

/** What a person does in a modal: `approve` for an override alone. */
export type AskingAction = 'approve' | 'reject' | 'answer'

interface Asking {
  readonly title: string
  readonly submit: string
  readonly label: (hold: Hold) => string
  readonly isOptional: boolean
  readonly isLong: boolean
}

const ASKING: Record<AskingAction, Asking> = {
  approve: {
    ...{ title: 'Approve', submit: 'Approve', isOptional: false, isLong: false },
    label: hold => `To approve it all the same, type ${visibleLine(thingNamed(hold))}`,
  },
  reject: {
    ...{ title: 'Reject', submit: 'Reject', isOptional: true, isLong: true },
    label: () => 'Why (the agent reads this)',
  },
  answer: { title: 'Answer', submit: 'Answer', isOptional: false, isLong: true, label: () => 'Your answer' },
}

/** Slack takes 3,000 characters. */
const LONGEST_TEXT = 3_000
const LONGEST_ASKED = 1_000

/** Asks for the words that go with a decision. */
export function askingView(action: AskingAction, hold: Hold, value: ButtonValue): JsonObject {
  const { title, submit, label, isOptional, isLong } = ASKING[action]
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
        label: plain(label(hold)),
        element: { type: 'plain_text_input', action_id: SAID, multiline: isLong, max_length: LONGEST_TEXT },
      },
    ],
  }
}

/** In the place of a modal whose text was not taken. */
export function tellingView(message: string): JsonObject {
  return { type: 'modal', title: plain('Not recorded'), close: plain('Close'), blocks: [section(message)] }
}

/** The act again, with what it reaches: the message may be far above. */
function asked(hold: Hold): string {
  const { act, warnings, words } = noticeBody(hold)
  const request = [act, ...warnings, ...(words === null ? [] : [words])].join('\n')
  const shown =
    request.length > LONGEST_ASKED ? `${request.slice(0, LONGEST_ASKED)}… (cut; the message has more)` : request
  return `${shown}\n${visibleLine(hold.agent)}, ${hold.id}`
}

function section(text: string): JsonObject {
  return { type: 'section', text: plain(text.slice(0, LONGEST_TEXT)) }
}

function plain(text: string): JsonObject {
  return { type: 'plain_text', text, emoji: false }
}
