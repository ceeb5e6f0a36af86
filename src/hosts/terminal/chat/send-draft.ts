/** Enter: the draft is a command, the answer to the question that is shown, or a message. If it is refused, it is kept. */
import type { Hold } from '../../../core/hold/hold.ts'
import { shortened } from '../../../core/text/text-width.ts'
import { visibleLine } from '../../../core/text/visible-text.ts'
import { line } from '../screen/flow.ts'
import { choiceOf } from '../slash/deciding-commands.ts'
import { refusalText, saidOf } from '../slash/deck.ts'
import { type Meant, slashIn } from '../slash/slash-commands.ts'
import { type ChatContext, draftAnswers } from './chat-state.ts'

export function sendDraft(context: ChatContext): void {
  const { state } = context
  const { text } = state.draft
  if (text.trim() === '') return
  const meant = slashIn(text, context.commands)
  if (meant) {
    sendCommand(context, meant)
    return
  }
  const question = draftAnswers(state) ? state.bar.current : null
  if (question) {
    sendAnswer(context, question)
    return
  }
  settle(context, () => context.deck.say(text.trim(), 'queue'))
}

function sendCommand(context: ChatContext, { command, rest, word, near }: Meant): void {
  if (command) {
    settle(context, () => command.run(context.deck, rest))
    return
  }
  const typed = shortened(visibleLine(word), LONGEST_WORD)
  const meant = near.length === 0 ? '/help lists them all.' : `Did you mean ${oneOf(near.map(name => `/${name}`))}?`
  context.state.notice = line(
    ` There is no command /${typed}. ${meant} A line that begins with a space is a message.`,
    'magenta',
  )
}

/** Columns of a mistaken command that the message repeats. */
const LONGEST_WORD = 30

function oneOf(names: readonly string[]): string {
  const last = names.at(-1) ?? ''
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} or ${last}`
}

/** P1: what was begun before the question came was meant for something else. */
function sendAnswer(context: ChatContext, question: Hold): void {
  const { state } = context
  if (state.draftBegunAt < state.bar.changedAt && state.warnedOf !== question.id) {
    state.warnedOf = question.id
    state.notice = line(
      ' A question came while you wrote. Enter again answers it; /queue TEXT sends a message.',
      'magenta',
    )
    return
  }
  const text = choiceOf(question, state.draft.text.trim())
  settle(context, async () => {
    const notice = saidOf(await context.deck.conversation.answer(question, text))
    if (notice !== null) state.notice = line(` ${notice}`, 'magenta')
  })
}

/** Takes the draft, and gives it back if it was refused and nothing else was written meanwhile. */
function settle(context: ChatContext, work: () => Promise<void>): void {
  const { state, conversation } = context
  const text = state.draft.take()
  state.notice = null
  conversation()
    .then(work)
    .catch(thrown => {
      state.notice = line(` ${refusalText(thrown)}`, 'magenta')
      if (state.draft.isEmpty) state.draft.replace(text)
    })
    .finally(() => context.redraw())
}
