/** Keys at the approval bar. Enter and the space bar decide nothing; a line of text that was begun on purpose ends with Enter. */
import type { Hold } from '../../../core/hold/hold.ts'
import { type Guarded, guardApproval, guardRefusal } from '../bar/bar-guard.ts'
import { nameOf } from '../bar/card.ts'
import type { ConversationVerdict } from '../conversation/conversation.ts'
import { chordOf } from '../draft/edit-draft.ts'
import type { Key } from '../keys/key.ts'
import { line } from '../screen/line.ts'
import { refusalText, saidOf } from '../slash/say-receipt.ts'
import type { ChatHands } from './chat-state.ts'

type BarKey = (hands: ChatHands, key: Key) => void

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
  a: (hands, key) => ifGuarded(hands, guardApproval(key, hands.state.bar.facts), hold => approve(hands, hold)),
  A: (hands, key) => ifGuarded(hands, guardApproval(key, hands.state.bar.facts), () => hands.state.bar.ask('grant')),
  e: (hands, key) => ifGuarded(hands, guardRefusal(key, hands.state.bar.facts), hold => edit(hands, hold)),
  r: (hands, key) => ifGuarded(hands, guardRefusal(key, hands.state.bar.facts), () => hands.state.bar.ask('reason')),
}

const MAY: Readonly<Record<string, string>> = { approval: 'aAer', question: 'r', client_tool: 'r', in_doubt: 'ar' }

export function barKey(hands: ChatHands, key: Key): void {
  const { bar } = hands.state
  if (bar.line) {
    lineKey(hands, key)
    return
  }
  const move = MOVES[chordOf(key)]
  if (move) {
    move(hands, key)
    return
  }
  const isKnown = MAY[bar.current?.kind ?? '']?.includes(key.text) ?? false
  if (key.text !== '' && isKnown) LETTERS[key.text]?.(hands, key)
  else if (key.text !== '') tell(hands, 'Here only the letters of the bar count. Esc goes back to what you write.')
}

function ifGuarded(hands: ChatHands, guarded: Guarded, decide: (hold: Hold) => void): void {
  const { bar } = hands.state
  const { drawn } = bar
  if (guarded.may === 'nothing') {
    tell(hands, `Nothing was decided: ${guarded.because}.`)
    return
  }
  if (guarded.may === 'scroll') {
    scrollOn(hands)
    return
  }
  if (guarded.may === 'spell') {
    bar.ask('spell')
    return
  }
  if (drawn) decide(drawn)
}

/** P9: what was not seen to its end is not approved by a key. */
function scrollOn(hands: ChatHands): void {
  const { bar } = hands.state
  const { drawn } = bar
  if (drawn && bar.isTooLong) {
    const name = nameOf(drawn)
    tell(hands, `It is too long to approve it here. /show ${name} says more of it, and /approve ${name} approves it.`)
    return
  }
  bar.scrollBy(1, 'screens')
  tell(hands, 'Not all of it was on the screen. Read it to its end first.')
}

function approve(hands: ChatHands, hold: Hold): void {
  decide(hands, hold, { verdict: 'approve' })
}

function edit(hands: ChatHands, hold: Hold): void {
  hands.state.bar.leave()
  settle(hands, hands.deck.edit(hold))
}

/** A decision leaves the bar. It is for what was drawn when the key was read. */
function decide(hands: ChatHands, hold: Hold, verdict: ConversationVerdict): void {
  hands.state.bar.leave()
  settle(
    hands,
    hands.deck.conversation.decide(hold, verdict).then(receipt => {
      const said = saidOf(receipt)
      if (said !== null) tell(hands, said)
    }),
  )
}

/** A refusal is told, and what waits is read and drawn as it is now. */
function settle(hands: ChatHands, work: Promise<void>): void {
  const { deck, state } = hands
  const tell = async (thrown: unknown) => {
    deck.print([line(`! ${refusalText(thrown)}`, 'magenta')])
    state.bar.replace(await deck.conversation.holds())
  }
  work.catch(tell).finally(() => hands.redraw())
}

/** A line of text at the bar: a reason, the name of a grant, the letters of a tool. */
function lineKey(hands: ChatHands, key: Key): void {
  const { bar } = hands.state
  const typed = bar.line
  if (!typed) return
  if (key.name === 'escape') bar.line = null
  else if (key.name === 'backspace') typed.text = [...typed.text].slice(0, -1).join('')
  else if (key.name === 'return') endLine(hands, key)
  else if (key.text !== '' && !key.ctrl && !key.meta) {
    typed.text += key.text
    if (typed.asks === 'spell') spell(hands, key)
  }
}

/** The letters are typed by hand, one after the other, while what they are for stays as it is. */
function spell(hands: ChatHands, key: Key): void {
  const { bar } = hands.state
  const { drawn } = bar
  if (!drawn || !bar.line || !bar.spells(bar.line.text)) return
  const guarded = guardApproval(key, { ...bar.facts, word: null })
  if (guarded.may === 'decide') approve(hands, drawn)
  else {
    bar.line = null
    if (guarded.may === 'nothing') tell(hands, `Nothing was decided: ${guarded.because}.`)
  }
}

function endLine(hands: ChatHands, key: Key): void {
  const { bar } = hands.state
  const { line: typed, drawn } = bar
  if (!typed || !drawn) return
  if (typed.asks === 'spell') {
    typed.text = ''
    tell(hands, `Nothing was decided: that is not ${bar.facts.word}. Type it letter by letter, or Esc goes back.`)
    return
  }
  const guarded = guardRefusal(key, bar.facts)
  if (guarded.may === 'nothing') {
    tell(hands, `Nothing was decided: ${guarded.because}.`)
    return
  }
  const text = typed.text.trim()
  if (typed.asks === 'reason') decide(hands, drawn, { verdict: 'reject', reason: text === '' ? null : text })
  else if (text === '') tell(hands, 'The grant needs a name, by which people will know it.')
  else decide(hands, drawn, { verdict: 'approve', grant: { name: text, scope: 'thread' } })
}

function tell({ state }: ChatHands, text: string): void {
  state.notice = line(` ${text}`, 'magenta')
}
