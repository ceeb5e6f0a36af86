/** Acts on keys and pastes. The draft has every key, unless the bar was asked for (P1). */
import { chordOf, editDraft } from '../draft/draft.ts'
import type { Input, Key } from '../keys/decode-keys.ts'
import { line } from '../screen/flow.ts'
import { barKey } from './bar-keys.ts'
import type { ChatContext, ChatState } from './chat-state.ts'
import { sendDraft } from './send-draft.ts'

/** A second Ctrl+C within this time leaves. */
const TWICE_MS = 2_000

export class ChatKeys {
  readonly #context: ChatContext
  #interruptedAt = Number.NEGATIVE_INFINITY
  #read = 0

  constructor(context: ChatContext) {
    this.#context = context
  }

  handle(input: Input): void {
    const { state, now } = this.#context
    const wasEmpty = state.draft.isEmpty
    if (input.kind === 'paste') this.#paste(input.text)
    else this.#key(input)
    state.menu.follow(state.draft.text)
    if (wasEmpty && !state.draft.isEmpty) state.draftBegunAt = now()
    if (state.draft.isEmpty) state.warnedOf = null
  }

  /** P1: text that is pasted is text, wherever the keys go. */
  #paste(text: string): void {
    const { state } = this.#context
    state.bar.leave()
    state.notice = null
    state.draft.paste(text)
  }

  #key(key: Key): void {
    const { state } = this.#context
    const always = this.#always[chordOf(key)]
    if (always) {
      always()
      return
    }
    // A notice about the first of several keys that came together stays.
    if (key.read !== this.#read) state.notice = null
    this.#read = key.read
    if (state.bar.isFocused) {
      barKey(this.#context, key)
      return
    }
    if (state.menu.isOpen && menuKey(state, key)) return
    const own = this.#own[chordOf(key)]
    if (own) own(key)
    else editDraft(state.draft, key)
    // What was sent before is called back as it was.
    if (CALLING_BACK.includes(key.name)) state.menu.close()
  }

  readonly #always: Readonly<Record<string, () => void>> = {
    'ctrl+c': () => this.#interrupt(),
    'ctrl+z': () => this.#context.suspend(),
    'ctrl+l': () => this.#context.redraw(),
  }

  readonly #own: Readonly<Record<string, (key: Key) => void>> = {
    return: () => sendDraft(this.#context),
    tab: key => this.#tab(key),
    'ctrl+g': key => this.#toBar(key),
    'ctrl+d': key => {
      if (this.#context.state.draft.isEmpty) this.#context.leave(null)
      else editDraft(this.#context.state.draft, key)
    },
  }

  #tab(key: Key): void {
    const { state, deck } = this.#context
    const { draft } = state
    const completed = draft.cursor === draft.cells.length ? deck.complete(draft.text) : null
    if (completed !== null) draft.replace(completed)
    else if (/^\/\S*$/.test(draft.text)) this.#tell('/help lists the commands.')
    else this.#toBar(key)
  }

  #toBar({ read }: Key): void {
    if (!this.#context.state.bar.focus(read)) this.#tell('Nothing waits for a decision here.')
  }

  /** Clears the draft, else stops the run; twice leaves. */
  #interrupt(): void {
    const { state, deck, leave, now } = this.#context
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
    this.#context.state.notice = line(` ${text}`, 'magenta')
  }
}

const CALLING_BACK: readonly string[] = ['up', 'down']

/** True if the key was one for the menu. Enter on half a word takes the command, and runs nothing. */
function menuKey({ menu, draft }: Pick<ChatState, 'menu' | 'draft'>, key: Key): boolean {
  const chord = chordOf(key)
  if (chord === 'up' || chord === 'down') menu.move(chord === 'up' ? -1 : 1)
  else if (chord === 'escape') menu.close()
  else if (chord === 'tab' || (chord === 'return' && !menu.isWritten)) draft.replace(menu.taken)
  else return false
  return true
}
