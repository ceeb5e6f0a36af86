import { refused } from '../../../core/errors.ts'
import { visibleLine } from '../../../core/text/visible-text.ts'
import { sessionRefusals } from '../../refusals/session-refusals.ts'
import type { Conversation, MessageMode } from '../conversation/conversation.ts'
import { line } from '../screen/flow.ts'
import type { Deck, SlashCommand } from './deck.ts'

/** Slash commands about the run and the session. */
export const TALKING: readonly SlashCommand[] = [
  {
    name: 'queue',
    usage: 'TEXT',
    does: 'a message for when the run comes to it, also while a question waits',
    run: (deck, rest) => say(deck, rest, 'queue'),
  },
  {
    name: 'now',
    usage: 'TEXT',
    does: 'a message in the place of the calls that wait: those never run',
    run: (deck, rest) => say(deck, rest, 'steer'),
  },
  {
    name: 'interrupt',
    usage: 'TEXT',
    does: 'stop the run at a safe point, then say this',
    run: (deck, rest) => say(deck, rest, 'interrupt'),
  },
  {
    name: 'go',
    usage: '',
    does: 'go on with a run that was stopped',
    run: async ({ conversation }) => goOn(conversation),
  },
  {
    name: 'cancel',
    usage: '[WHY]',
    does: 'end the run for good',
    run: ({ conversation }, rest) => conversation.cancel(rest === '' ? null : rest),
  },
  {
    name: 'fork',
    usage: '',
    does: 'go on in a new session that begins as this one stands',
    run: async deck => {
      const { sessionId } = deck.conversation
      const fork = await deck.conversation.fork()
      deck.print([line(`· forked ${sessionId}: this conversation goes on in ${fork}`, 'dim')])
      deck.leave({ to: 'fork', session: fork })
    },
  },
  {
    name: 'model',
    usage: '[NAME]',
    does: 'the model of this session; with a name another one, from the next message on',
    run: (deck, rest) => (rest === '' ? sayModel(deck) : useModel(deck, rest)),
  },
  {
    name: 'copy',
    usage: '',
    does: 'the last answer to the clipboard, if the terminal allows it',
    run: async deck => {
      if (deck.lastAnswer() === '') throw refused('nothing_pending', 'There is no answer yet.', 'Say something first.')
      deck.copy(deck.lastAnswer())
      deck.print([line('· copied', 'dim')])
    },
  },
  { name: 'leave', usage: '', does: 'leave; what waits goes on waiting', run: async deck => deck.leave(null) },
]

async function sayModel({ conversation, print }: Deck): Promise<void> {
  print([line(`  ${visibleLine(conversation.model ?? 'the model of its agent')}`)])
}

async function useModel({ conversation, print }: Deck, name: string): Promise<void> {
  if (!conversation.useModel) throw sessionRefusals.modelSetElsewhere()
  const before = conversation.model
  const isUnderWay = conversation.presence().work !== 'none'
  await conversation.useModel(name)
  const now = `the next message goes to ${conversation.model ?? name}`
  const rest = isUnderWay ? `; what runs now stays with ${before ?? 'its model'} (/interrupt TEXT stops it first)` : ''
  print([line(visibleLine(`· ${now}${rest}`), 'dim')])
}

function goOn(conversation: Conversation): void {
  if (!conversation.presence().isStopped)
    throw refused('nothing_pending', 'Nothing is stopped here, so there is nothing to go on with.', 'Write a message.')
  conversation.goOn()
}

async function say(deck: Deck, text: string, mode: MessageMode): Promise<void> {
  if (text === '') throw sessionRefusals.emptyMessage()
  await deck.say(text, mode)
}
