/** Slash commands that decide. They name what they decide, so they need no guard; each is for the hold as it was drawn. */
import { refused } from '../../../core/errors.ts'
import { type Hold, isOverride } from '../../../core/hold/hold.ts'
import type { ConversationVerdict } from '../conversation/conversation.ts'
import { line } from '../screen/line.ts'
import type { Deck, SlashCommand } from './deck.ts'
import { saidOf } from './say-receipt.ts'

export const DECIDING: readonly SlashCommand[] = [
  {
    name: 'approve',
    usage: '[ID…|all]',
    does: 'let calls run: this one, those that are named, or all that wait',
    run: (deck, rest) => approve(deck, rest),
  },
  {
    name: 'deny',
    usage: '[ID] WHY',
    does: 'refuse a call, and tell the agent why',
    run: (deck, rest) => deny(deck, rest),
  },
  {
    name: 'edit',
    usage: '[ID]',
    does: 'let a call run with other arguments, which you change in your editor',
    run: async (deck, rest) => {
      const { hold } = namedFirst(deck, rest)
      await deck.edit(hold)
    },
  },
  {
    name: 'answer',
    usage: '[ID] TEXT',
    does: 'answer a question, or give the result of a call that ran elsewhere',
    run: async (deck, rest) => {
      const { hold, rest: text } = namedFirst(deck, rest)
      if (text === '') throw refused('empty_answer', 'The answer is empty.', 'Write /answer ID TEXT.')
      tell(deck, saidOf(await deck.conversation.answer(hold, choiceOf(hold, text))))
    },
  },
  {
    name: 'always',
    usage: '[ID] NAME',
    does: 'approve a call, and let exactly the same pass in this session from now on; /grants lists and revokes it',
    run: async (deck, rest) => {
      const { hold, rest: name } = namedFirst(deck, rest)
      if (name === '')
        throw refused('invalid_arguments', 'The grant has no name.', 'Write /always NAME, as people will know it.')
      await decide(deck, hold, { verdict: 'approve', grant: { name, scope: 'thread' } })
    },
  },
]

/** A number stands for a choice, unless it is one itself. */
export function choiceOf({ choices }: Pick<Hold, 'choices'>, text: string): string {
  const isNumber = /^\d{1,3}$/.test(text) && !choices?.includes(text)
  return (isNumber ? choices?.[Number(text) - 1] : undefined) ?? text
}

async function approve(deck: Deck, rest: string): Promise<void> {
  const names = rest.split(/\s+/).filter(word => word !== '')
  if (names.length === 1 && names[0] === 'all') return approveAll(deck)
  if (names.length === 0) return decide(deck, onlyHold(deck), { verdict: 'approve' })
  const found = names.map(name => holdNamed(deck.holds(), name))
  // The command line says what is wrong with a name, or decides a hold of another session.
  if (found.some(hold => hold === null)) return deck.command(['approve', ...names])
  for (const hold of found) if (hold) await decide(deck, hold, { verdict: 'approve' })
}

/** P1: a call in doubt, and an override, is decided by its own name alone. */
async function approveAll(deck: Deck): Promise<void> {
  const open = deck.holds()
  const meant = open.filter(hold => hold.kind === 'approval' && !isOverride(hold) && !hold.destructive)
  if (meant.length === 0) throw nothing(open)
  for (const hold of meant) await decide(deck, hold, { verdict: 'approve' })
  if (meant.length < open.length)
    deck.print([line(`· ${open.length - meant.length} of them are decided one by one, by their names`, 'dim')])
}

async function deny(deck: Deck, rest: string): Promise<void> {
  const { hold, rest: reason } = namedFirst(deck, rest)
  await decide(deck, hold, { verdict: 'reject', reason: reason === '' ? null : reason })
}

async function decide(deck: Deck, hold: Hold, verdict: ConversationVerdict): Promise<void> {
  tell(deck, saidOf(await deck.conversation.decide(hold, verdict)))
}

function tell(deck: Deck, said: string | null): void {
  if (said !== null) deck.print([line(`· ${said}`, 'dim')])
}

/** The hold that the first word names; without one the only hold, and then all of it is the rest. */
function namedFirst(deck: Deck, rest: string): { readonly hold: Hold; readonly rest: string } {
  const [, word = '', more = ''] = /^(\S*)\s*([\s\S]*)$/.exec(rest) ?? []
  const named = word === '' ? null : holdNamed(deck.holds(), word)
  return named ? { hold: named, rest: more.trim() } : { hold: onlyHold(deck), rest: rest.trim() }
}

function onlyHold(deck: Deck): Hold {
  const open = deck.holds()
  const [hold, ...more] = open
  if (!hold) throw nothing(open)
  if (more.length > 0)
    throw refused(
      'invalid_arguments',
      `${open.length} wait, so it is not clear which one is meant.`,
      `Name it: ${namesOf(open)}.`,
    )
  return hold
}

/** By its id, its call, or the beginning of its id. */
export function holdNamed(holds: readonly Hold[], name: string): Hold | null {
  const exact = holds.find(({ id, call_id }) => id === name || call_id === name)
  if (exact) return exact
  const begun = holds.filter(({ id }) => name.length >= LEAST_LETTERS && id.startsWith(name))
  return begun.length === 1 ? (begun[0] ?? null) : null
}

const LEAST_LETTERS = 'hold_'.length + 4

function namesOf(holds: readonly Hold[]): string {
  return holds.map(({ id, call_id, tool }) => `${call_id ?? id} (${tool ?? 'question'})`).join(', ')
}

function nothing(open: readonly Hold[]): Error {
  if (open.length > 0)
    return refused(
      'nothing_to_decide',
      'None of what waits can be approved along with others.',
      `Name each one: ${namesOf(open)}.`,
    )
  return refused('nothing_to_decide', 'Nothing waits in this session.', '`/holds` lists what waits elsewhere.')
}
