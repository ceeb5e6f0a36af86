/**
 * The chat in a terminal: a conversation above, a few live lines below. Keeps: keys are drawn at once, what streams at most
 * 30 times a second, and nothing at all while nothing changes.
 */
import type { ReadStream } from 'node:tty'
import { aborted } from '../../../async/on-abort.ts'
import { NO_CHAT_SETTINGS } from '../../../core/settings/chat-settings.ts'
import { paintFor } from '../../display/screen.ts'
import type { Io } from '../../process/io.ts'
import { systemClock } from '../../process/system-clock.ts'
import { ApprovalBar } from '../bar/approval-bar.ts'
import type { Conversation } from '../conversation/conversation.ts'
import { Draft } from '../draft/draft.ts'
import { ReadKeys } from '../keys/read-keys.ts'
import { type Line, line } from '../screen/flow.ts'
import { Screen } from '../screen/screen.ts'
import { TerminalModes } from '../screen/terminal-modes.ts'
import { CommandMenu } from '../slash/command-menu.ts'
import type { Left } from '../slash/deck.ts'
import { Transcript } from '../transcript/transcript.ts'
import { chatDeck, type DeckDeps, eventsOf } from './chat-deck.ts'
import { ChatKeys } from './chat-keys.ts'
import { type ChatContext, type ChatState, RunClock, ShownHolds } from './chat-state.ts'
import { followInto, type Recalling } from './follow-into.ts'
import { frameFacts } from './frame-facts.ts'
import { layOut } from './layout.ts'

export interface ChatScreenDeps extends DeckDeps {
  readonly io: Io
  readonly stdin: ReadStream
  /** The name that signs. */
  readonly person: string
  /** Default: `terminal`. */
  readonly surface?: string
}

const BELL = '\u0007'
/** Between two frames of what streams. */
const FRAME_MS = 33

export class Chat implements Disposable {
  readonly #site: ChatScreenDeps
  readonly #screen: Screen
  readonly #modes: TerminalModes
  readonly #state: ChatState
  readonly #context: ChatContext
  readonly #onResize = () => this.draw()
  readonly #onContinue = () => this.#continue()
  #opened: PromiseWithResolvers<Conversation> = Promise.withResolvers()
  #conversation: Conversation | null = null
  #left: PromiseWithResolvers<Left> = Promise.withResolvers()
  #above: Line[] = []
  #frame: NodeJS.Timeout | null = null
  readonly #clock = new RunClock(() => this.draw())
  readonly #shown = new ShownHolds()
  #isAway = false

  /** Draws the first frame. */
  constructor(site: ChatScreenDeps) {
    this.#site = site
    const now = () => performance.now()
    this.#screen = new Screen(site.io, paintFor(site))
    this.#state = {
      draft: new Draft(),
      bar: new ApprovalBar(now),
      transcript: new Transcript(site.person, site.surface),
      menu: new CommandMenu(site.commands),
      settings: NO_CHAT_SETTINGS,
      notice: null,
      draftBegunAt: 0,
      warnedOf: null,
    }
    this.#context = {
      state: this.#state,
      deck: chatDeck(site, {
        state: this.#state,
        conversation: () => this.#conversation,
        print: lines => this.print(lines),
        leave: left => this.#left.resolve(left),
        columns: () => this.#columns,
        away: work => this.#away(work),
      }),
      commands: site.commands ?? [],
      conversation: () => this.#opened.promise,
      now,
      redraw: () => this.draw(),
      leave: left => this.#left.resolve(left),
      suspend: () => this.#suspend(),
    }
    const keys = new ChatKeys(this.#context)
    const reader = new ReadKeys(input => {
      keys.handle(input)
      // A lone escape is known as a key only later than its read.
      this.#soon()
    }, now)
    this.#modes = new TerminalModes(site.io, site.stdin, bytes => {
      reader.read(bytes)
      this.draw()
    })
    this.#modes.resume()
    process.on('SIGCONT', this.#onContinue)
    process.stdout.on('resize', this.#onResize)
    site.stdin.once('end', () => this.#left.resolve(null))
    this.draw()
  }

  /** Waits for something while the person may write already; `null` if they leave meanwhile. */
  async during<T>(work: Promise<T>): Promise<T | null> {
    return Promise.race([work, this.#left.promise.then(() => null)])
  }

  /** Runs until the person leaves or switches to another session, or the signal is aborted. */
  async talk(conversation: Conversation, { signal, ...from }: Recalling): Promise<Left> {
    this.#conversation = conversation
    this.#opened.resolve(conversation)
    await this.#begins(conversation, from.since)
    this.#state.transcript.activity.begins(systemClock.now())
    const over = new AbortController()
    using _presence = conversation.onPresence(() => this.#standing())
    const follows = followInto(
      {
        state: this.#state,
        conversation,
        print: lines => this.print(lines),
        redraw: () => this.#soon(),
        columns: () => this.#columns,
        ring: () => this.#state.settings.bell && this.#site.io.out(BELL),
      },
      { ...from, signal: over.signal },
    )
    this.#standing()
    try {
      return await Promise.race([this.#left.promise, aborted(signal).then(() => null), follows.then(() => null)])
    } finally {
      over.abort()
      this.#conversation = null
      this.#opened = Promise.withResolvers()
      this.#left = Promise.withResolvers()
      this.#standing()
    }
  }

  async #begins({ sessionId }: Conversation, since: number): Promise<void> {
    const { state } = this.#context
    const earlier = since > 0 ? await eventsOf(this.#site, sessionId) : []
    state.transcript.begins(earlier.filter(({ seq }) => seq <= since))
    state.settings = await this.#site.settings()
  }

  /** Lines for good, above. */
  print(lines: readonly Line[]): void {
    // No spread: a whole result may have more lines than a call takes arguments.
    for (const each of lines) this.#above.push(each)
    this.#soon()
  }

  draw(): void {
    if (this.#isAway) return
    if (this.#frame) clearTimeout(this.#frame)
    this.#frame = null
    const above = this.#above
    this.#above = []
    this.#screen.draw(
      above,
      layOut(
        frameFacts(this.#state, {
          conversation: this.#conversation,
          since: this.#clock.since,
          columns: this.#columns,
          height: this.#site.io.height(),
        }),
      ),
    )
    this.#shown.drawn(this.#state.bar, this.#conversation)
  }

  [Symbol.dispose](): void {
    process.off('SIGCONT', this.#onContinue)
    process.stdout.off('resize', this.#onResize)
    if (this.#frame) clearTimeout(this.#frame)
    this.#clock[Symbol.dispose]()
    this.#screen.draw(this.#above, { lines: [], cursor: { line: 0, column: 0 } })
    this.#screen.clear()
    // A command that is still under way may ask for a frame later.
    this.#isAway = true
    this.#modes[Symbol.dispose]()
  }

  get #columns(): number {
    return Math.max(1, this.#site.io.width() - 1)
  }

  #soon(): void {
    this.#frame ??= setTimeout(() => this.draw(), FRAME_MS)
  }

  /** Only while something runs, time alone is a reason to draw. */
  #standing(): void {
    const presence = this.#conversation?.presence()
    const runs = presence !== undefined && presence.work !== 'none'
    if (presence?.trouble) this.#state.notice = line(` ${presence.trouble}`, 'red')
    if (this.#clock.set(runs)) this.#state.transcript.activity.goesOn(systemClock.now())
    this.#soon()
  }

  /** Another program has the terminal. */
  async #away(work: () => Promise<void>): Promise<void> {
    this.draw()
    this.#isAway = true
    this.#screen.clear()
    this.#modes.suspend()
    try {
      await work()
    } finally {
      this.#continue()
    }
  }

  #suspend(): void {
    this.#screen.clear()
    this.#modes.suspend()
    this.#isAway = true
    process.kill(process.pid, 'SIGTSTP')
  }

  #continue(): void {
    if (!this.#isAway) return
    this.#isAway = false
    this.#modes.resume()
    this.#screen.forget()
    this.draw()
  }
}
