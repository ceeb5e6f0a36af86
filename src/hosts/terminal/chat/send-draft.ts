/** Enter: the draft is a command, the answer to the question that is shown, or a message. If it is refused, it is kept. */
import type { Hold } from '../../../core/hold/hold.ts'
import { shortened } from '../../../core/text/text-width.ts'
import { visibleLine } from '../../../core/text/visible-text.ts'
import { line } from '../screen/line.ts'
import { choiceOf } from '../slash/deciding-commands.ts'
import { refusalText, saidOf } from '../slash/say-receipt.ts'
import { type Meant, slashIn } from '../slash/slash-commands.ts'
import { type ChatHands, draftAnswers } from './chat-state.ts'

export function sendDraft(hands: ChatHands): void {
  const { state } = hands
  const { text } = state.draft
  if (text.trim() === '') return
  const meant = slashIn(text, hands.commands)
  if (meant) {
    sendCommand(hands, meant)
    return
  }
  const question = draftAnswers(state) ? state.bar.current : null
  if (question) {
    sendAnswer(hands, question)
    return
  }
  settle(hands, () => hands.deck.say(text.trim(), 'queue'))
}

function sendCommand(hands: ChatHands, { command, rest, word, near }: Meant): void {
  if (command) {
    settle(hands, () => command.run(hands.deck, rest))
    return
  }
  const typed = shortened(visibleLine(word), LONGEST_WORD)
  const meant = near.length === 0 ? '/help lists them all.' : `Did you mean ${oneOf(near.map(name => `/${name}`))}?`
  hands.state.notice = line(
    ` There is no command /${typed}. ${meant} A line that begins with a space is a message.`,
    'magenta',
  )
}

/** Of a word that was taken for a command so much is repeated, in columns. */
const LONGEST_WORD = 30

function oneOf(names: readonly string[]): string {
  const last = names.at(-1) ?? ''
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} or ${last}`
}

/** P1: what was begun before the question came was meant for something else. */
function sendAnswer(hands: ChatHands, question: Hold): void {
  const { state } = hands
  if (state.draftBegunAt < state.bar.changedAt && state.warnedOf !== question.id) {
    state.warnedOf = question.id
    state.notice = line(
      ' A question came while you wrote. Enter again answers it; /queue TEXT sends a message.',
      'magenta',
    )
    return
  }
  const text = choiceOf(question, state.draft.text.trim())
  settle(hands, async () => {
    const said = saidOf(await hands.deck.conversation.answer(question, text))
    if (said !== null) state.notice = line(` ${said}`, 'magenta')
  })
}

/** Takes the draft, and gives it back if it was refused and nothing else was written meanwhile. */
function settle(hands: ChatHands, work: () => Promise<void>): void {
  const { state, conversation } = hands
  const text = state.draft.take()
  state.notice = null
  conversation()
    .then(work)
    .catch(thrown => {
      state.notice = line(` ${refusalText(thrown)}`, 'magenta')
      if (state.draft.isEmpty) state.draft.replace(text)
    })
    .finally(() => hands.redraw())
}
