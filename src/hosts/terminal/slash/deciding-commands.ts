/** Slash commands that decide. They name what they decide, so they need no guard; each is for the hold as it was drawn. */
import { type Hold, isOverride } from '../../../core/hold/hold.ts'
import { decidingRefusals } from '../../refusals/deciding-refusals.ts'
import type { ConversationVerdict } from '../conversation/conversation.ts'
import { line } from '../screen/flow.ts'
import { type Deck, type SlashCommand, saidOf } from './deck.ts'

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
      const { hold } = namedFirst(deck.holds(), rest)
      await deck.edit(hold)
    },
  },
  {
    name: 'answer',
    usage: '[ID] TEXT',
    does: 'answer a question, or give the result of a call that ran elsewhere',
    run: async (deck, rest) => {
      const { hold, text } = answerIn(deck.holds(), rest)
      tell(deck, saidOf(await deck.conversation.answer(hold, text)))
    },
  },
  {
    name: 'always',
    usage: '[ID] NAME',
    does: 'approve a call, and let exactly the same pass in this session from now on; /grants lists and revokes it',
    run: async (deck, rest) => {
      const { hold, rest: name } = namedFirst(deck.holds(), rest)
      if (name === '') throw decidingRefusals.grantNotNamed()
      await decide(deck, hold, { verdict: 'approve', grant: { name, scope: 'thread' } })
    },
  },
]

/** A number chooses a choice, unless a choice is that number. */
export function choiceOf({ choices }: Pick<Hold, 'choices'>, text: string): string {
  const isNumber = /^\d{1,3}$/.test(text) && !choices?.includes(text)
  return (isNumber ? choices?.[Number(text) - 1] : undefined) ?? text
}

async function approve(deck: Deck, rest: string): Promise<void> {
  const open = deck.holds()
  const meant = approvedIn(open, rest)
  // The command line says what is wrong with a name, or decides a hold of another session.
  if (meant === null) return deck.command(['approve', ...rest.split(/\s+/)])
  for (const hold of meant) await decide(deck, hold, { verdict: 'approve' })
  if (rest === 'all' && meant.length < open.length)
    deck.print([line(`· ${open.length - meant.length} of them are decided one by one, by their names`, 'dim')])
}

/**
 * The holds that the words name, or all, or the only one; `null` if a name is none of them. P1: a call in doubt, and an
 * override, is decided by its own name alone. @throws RefusedError
 */
export function approvedIn(open: readonly Hold[], rest: string): readonly Hold[] | null {
  if (rest === '') return [onlyHold(open)]
  if (rest === 'all') {
    const meant = open.filter(hold => hold.kind === 'approval' && !isOverride(hold) && !hold.destructive)
    if (open.length === 0) throw decidingRefusals.nothingWaits()
    if (meant.length === 0) throw decidingRefusals.approvedAlone(namesOf(open))
    return meant
  }
  const holds = rest.split(/\s+/).map(name => holdNamed(open, name))
  return holds.some(hold => hold === null) ? null : holds.filter(hold => hold !== null)
}

/** @throws RefusedError */
export function answerIn(open: readonly Hold[], rest: string): { readonly hold: Hold; readonly text: string } {
  const { hold, rest: text } = namedFirst(open, rest)
  if (text === '') throw decidingRefusals.emptyAnswer('Write /answer ID TEXT.')
  return { hold, text: choiceOf(hold, text) }
}

async function deny(deck: Deck, rest: string): Promise<void> {
  const { hold, rest: reason } = namedFirst(deck.holds(), rest)
  await decide(deck, hold, { verdict: 'reject', reason: reason === '' ? null : reason })
}

async function decide(deck: Deck, hold: Hold, verdict: ConversationVerdict): Promise<void> {
  tell(deck, saidOf(await deck.conversation.decide(hold, verdict)))
}

function tell(deck: Deck, reason: string | null): void {
  if (reason !== null) deck.print([line(`· ${reason}`, 'dim')])
}

/** The hold that the first word names; without one the only hold, and then all of it is the rest. @throws RefusedError */
export function namedFirst(open: readonly Hold[], rest: string): { readonly hold: Hold; readonly rest: string } {
  const [, word = '', more = ''] = /^(\S*)\s*([\s\S]*)$/.exec(rest) ?? []
  const named = word === '' ? null : holdNamed(open, word)
  return named ? { hold: named, rest: more.trim() } : { hold: onlyHold(open), rest: rest.trim() }
}

function onlyHold(open: readonly Hold[]): Hold {
  const [hold, ...more] = open
  if (!hold) throw decidingRefusals.nothingWaits()
  if (more.length > 0) throw decidingRefusals.severalWait(open.length, namesOf(open))
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
