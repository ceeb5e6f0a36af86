/** Acts on keys and pastes. The draft has every key, unless the bar was asked for (P1). */
import { chordOf, editDraft } from '../draft/edit-draft.ts'
import type { Input, Key } from '../keys/key.ts'
import { line } from '../screen/line.ts'
import { completed, SLASH_COMMANDS } from '../slash/slash-commands.ts'
import { barKey } from './bar-keys.ts'
import type { ChatHands } from './chat-state.ts'
import { sendDraft } from './send-draft.ts'

/** A second Ctrl+C within this time leaves. */
const TWICE_MS = 2_000

export class ChatKeys {
  readonly #hands: ChatHands
  #interruptedAt = Number.NEGATIVE_INFINITY

  constructor(hands: ChatHands) {
    this.#hands = hands
  }

  handle(input: Input): void {
    const { state, now } = this.#hands
    const wasEmpty = state.draft.isEmpty
    if (input.kind === 'paste') this.#paste(input.text)
    else this.#key(input)
    if (wasEmpty && !state.draft.isEmpty) state.draftBegunAt = now()
    if (state.draft.isEmpty) state.warnedOf = null
  }

  /** P1: text that is pasted is text, wherever the keys go. */
  #paste(text: string): void {
    const { state } = this.#hands
    state.bar.leave()
    state.notice = null
    state.draft.paste(text)
  }

  #key(key: Key): void {
    const { state } = this.#hands
    const always = this.#always[chordOf(key)]
    if (always) {
      always()
      return
    }
    state.notice = null
    if (state.bar.isFocused) {
      barKey(this.#hands, key)
      return
    }
    const own = this.#own[chordOf(key)]
    if (own) own(key)
    else editDraft(state.draft, key)
  }

  readonly #always: Readonly<Record<string, () => void>> = {
    'ctrl+c': () => this.#interrupt(),
    'ctrl+z': () => this.#hands.suspend(),
    'ctrl+l': () => this.#hands.redraw(),
  }

  readonly #own: Readonly<Record<string, (key: Key) => void>> = {
    return: () => sendDraft(this.#hands),
    tab: key => this.#tab(key),
    'ctrl+g': key => this.#toBar(key),
    'ctrl+d': key => {
      if (this.#hands.state.draft.isEmpty) this.#hands.leave(null)
      else editDraft(this.#hands.state.draft, key)
    },
  }

  /** Completes the name of a command, or goes to what waits. */
  #tab(key: Key): void {
    const { draft } = this.#hands.state
    const [, word] = /^\/(\S*)$/.exec(draft.text) ?? []
    if (word === undefined) {
      this.#toBar(key)
      return
    }
    const names = completed(
      word,
      [...this.#hands.commands, ...SLASH_COMMANDS].map(({ name }) => name),
    )
    const [only, ...others] = names
    if (only !== undefined && others.length === 0) draft.replace(`/${only} `)
    else this.#tell(names.length > 0 ? names.map(name => `/${name}`).join('  ') : '/help lists the commands.')
  }

  #toBar({ read }: Key): void {
    if (!this.#hands.state.bar.focus(read)) this.#tell('Nothing waits for a decision here.')
  }

  /** Clears the draft, else stops the run; twice leaves. */
  #interrupt(): void {
    const { state, deck, leave, now } = this.#hands
    const isTwice = now() - this.#interruptedAt < TWICE_MS
    this.#interruptedAt = now()
    if (state.bar.isFocused) {
      state.bar.leave()
      return
    }
    if (!state.draft.isEmpty) {
      this.#interruptedAt = Number.NEGATIVE_INFINITY
      state.draft.clear()
      return
    }
    if (isTwice) {
      leave(null)
      return
    }
    const { conversation } = deck
    if (conversation.stop()) this.#tell('Stopping at a safe point. Ctrl+C again leaves.')
    // Another process has it.
    else if (conversation.presence().work !== 'none')
      this.#tell('It goes on. /interrupt TEXT stops it and says that. Ctrl+C again leaves.')
    else this.#tell('Ctrl+C again leaves.')
  }

  #tell(text: string): void {
    this.#hands.state.notice = line(` ${text}`, 'magenta')
  }
}
