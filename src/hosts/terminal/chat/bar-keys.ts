/** Keys at the approval bar. Enter and the space bar decide nothing; a line of text that was begun on purpose ends with Enter. */
import type { Hold } from '../../../core/hold/hold.ts'
import { type Guarded, guardApproval, guardRefusal } from '../bar/bar-guard.ts'
import { nameOf } from '../bar/card.ts'
import type { ConversationVerdict } from '../conversation/conversation.ts'
import { chordOf } from '../draft/draft.ts'
import type { Key } from '../keys/decode-keys.ts'
import { line } from '../screen/flow.ts'
import { refusalText, saidOf } from '../slash/deck.ts'
import type { ChatContext } from './chat-state.ts'

type BarKey = (context: ChatContext, key: Key) => void

const MOVES: Readonly<Record<string, BarKey>> = {
  escape: ({ state }) => state.bar.leave(),
  tab: ({ state }) => state.bar.leave(),
  'ctrl+g': ({ state }) => state.bar.leave(),
  left: ({ state }) => state.bar.move(-1),
  right: ({ state }) => state.bar.move(1),
  up: ({ state }) => state.bar.scrollBy(-1, 'rows'),
  down: ({ state }) => state.bar.scrollBy(1, 'rows'),
  pageup: ({ state }) => state.bar.scrollBy(-1, 'screens'),
  pagedown: ({ state }) => state.bar.scrollBy(1, 'screens'),
}

const LETTERS: Readonly<Record<string, BarKey>> = {
  a: (context, key) =>
    ifGuarded(
      context,
      guardApproval(begins(key, `a${context.state.bar.facts.word ?? ''}`), context.state.bar.facts),
      hold => approve(context, hold),
    ),
  A: (context, key) =>
    ifGuarded(context, guardApproval(key, context.state.bar.facts), () => context.state.bar.ask('grant')),
  e: (context, key) => ifGuarded(context, guardRefusal(key, context.state.bar.facts), hold => edit(context, hold)),
  r: (context, key) =>
    ifGuarded(context, guardRefusal(begins(key, REJECTION.exec(key.write)?.[0] ?? ''), context.state.bar.facts), () =>
      context.state.bar.ask('reason'),
    ),
}

/** All keys of a rejection with its reason, or the first of them. */
const REJECTION = /^r[^\r]*\r?$/

/** A write that is the first keys of one decision and nothing more is as good as a key alone. */
function begins(key: Key, decision: string): Key {
  return {
    ...key,
    isAlone: key.isAlone || (key.write !== '' && decision.toLowerCase().startsWith(key.write.toLowerCase())),
  }
}

/** The same for the last keys. */
function ends(key: Key, decision: string): Key {
  return { ...key, isAlone: key.isAlone || (key.write !== '' && decision.endsWith(key.write)) }
}

const MAY: Readonly<Record<string, string>> = { approval: 'aAer', question: 'r', client_tool: 'r', in_doubt: 'ar' }

export function barKey(context: ChatContext, key: Key): void {
  const { bar } = context.state
  if (bar.line) {
    lineKey(context, key)
    return
  }
  const move = MOVES[chordOf(key)]
  if (move) {
    move(context, key)
    return
  }
  const isKnown = MAY[bar.current?.kind ?? '']?.includes(key.text) ?? false
  if (key.text !== '' && isKnown) LETTERS[key.text]?.(context, key)
  else if (key.text !== '' && context.state.notice === null)
    tell(context, 'Here only the letters of the bar count. Esc goes back to what you write.')
}

function ifGuarded(context: ChatContext, guarded: Guarded, decide: (hold: Hold) => void): void {
  const { bar } = context.state
  const { drawn } = bar
  if (guarded.may === 'nothing') {
    tell(context, `Nothing was decided: ${guarded.because}.`)
    return
  }
  if (guarded.may === 'scroll') {
    scrollOn(context)
    return
  }
  if (guarded.may === 'spell') {
    bar.ask('spell')
    return
  }
  if (drawn) decide(drawn)
}

/** P9: what was not seen to its end is not approved by a key. */
function scrollOn(context: ChatContext): void {
  const { bar } = context.state
  const { drawn } = bar
  if (drawn && bar.isTooLong) {
    const name = nameOf(drawn)
    tell(context, `It is too long to approve it here. /show ${name} says more of it, and /approve ${name} approves it.`)
    return
  }
  bar.scrollBy(1, 'screens')
  tell(context, 'Not all of it was on the screen. Read it to its end first.')
}

function approve(context: ChatContext, hold: Hold): void {
  decide(context, hold, { verdict: 'approve' })
}

function edit(context: ChatContext, hold: Hold): void {
  context.state.bar.leave()
  settle(context, context.deck.edit(hold))
}

/** A decision leaves the bar. It is for what was drawn when the key was read. */
function decide(context: ChatContext, hold: Hold, verdict: ConversationVerdict): void {
  context.state.bar.leave()
  settle(
    context,
    context.deck.conversation.decide(hold, verdict).then(receipt => {
      const notice = saidOf(receipt)
      if (notice !== null) tell(context, notice)
    }),
  )
}

/** Shows a refusal, and redraws what waits now. */
function settle(context: ChatContext, work: Promise<void>): void {
  const { deck, state } = context
  const tell = async (thrown: unknown) => {
    deck.print([line(`! ${refusalText(thrown)}`, 'magenta')])
    state.bar.replace(await deck.conversation.holds())
  }
  work.catch(tell).finally(() => context.redraw())
}

/** A line of text at the bar: a reason, the name of a grant, the letters of a tool. */
function lineKey(context: ChatContext, key: Key): void {
  const { bar } = context.state
  const typed = bar.line
  if (!typed) return
  if (key.name === 'escape') bar.line = null
  else if (key.name === 'backspace') typed.text = [...typed.text].slice(0, -1).join('')
  else if (key.name === 'return') endLine(context, key)
  else if (key.text !== '' && !key.ctrl && !key.meta) {
    typed.text += key.text
    if (typed.asks === 'spell') spell(context, key)
  }
}

/** The letters are typed by hand, one after the other, while what they are for stays as it is. */
function spell(context: ChatContext, key: Key): void {
  const { bar } = context.state
  const { drawn } = bar
  if (!drawn || !bar.line || !bar.spells(bar.line.text)) return
  // A word may end in two equal letters: nobody spells it by holding down a key.
  const typed = { ...ends(key, `a${bar.line.text}`), isRepeat: false }
  const guarded = guardApproval(typed, { ...bar.facts, word: null })
  if (guarded.may === 'decide') approve(context, drawn)
  else {
    bar.line = null
    if (guarded.may === 'nothing') tell(context, `Nothing was decided: ${guarded.because}.`)
  }
}

function endLine(context: ChatContext, key: Key): void {
  const { bar } = context.state
  const { line: typed, drawn } = bar
  if (!typed || !drawn) return
  if (typed.asks === 'spell') {
    typed.text = ''
    tell(context, `Nothing was decided: that is not ${bar.facts.word}. Type it letter by letter, or Esc goes back.`)
    return
  }
  // A name may be pasted, and what is pasted grants nothing: Enter comes alone.
  const last = typed.asks === 'reason' ? ends(key, `r${typed.text}\r`) : key
  const guarded = guardRefusal(last, bar.facts)
  if (guarded.may === 'nothing') {
    tell(context, `Nothing was decided: ${guarded.because}.`)
    return
  }
  const text = typed.text.trim()
  if (typed.asks === 'reason') decide(context, drawn, { verdict: 'reject', reason: text === '' ? null : text })
  else if (text === '') tell(context, 'The grant needs a name, by which people will know it.')
  else decide(context, drawn, { verdict: 'approve', grant: { name: text, scope: 'thread' } })
}

function tell({ state }: ChatContext, text: string): void {
  state.notice = line(` ${text}`, 'magenta')
}
