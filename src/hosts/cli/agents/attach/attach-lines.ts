/**
 * Lines of an agent, for programs and logs: what happens on stdout, and each line of stdin is a message, a command or a
 * frame. Keeps: to leave, to be cut or to come to the end of stdin ends nothing of the agent, unless that is said in so many
 * words.
 */
import { aborted } from '../../../../async/on-abort.ts'
import type { ClientFrame } from '../../../../core/fleet/frames.ts'
import { jsonLine } from '../../../../core/text/visible-text.ts'
import type { CommandContext } from '../../../command/command.ts'
import { sessionRefusals } from '../../../refusals/session-refusals.ts'
import { TypedLines } from '../../../terminal/plain/typed-lines.ts'
import type { AgentLine, AttachedTo } from './attached-to.ts'
import { COMMANDS_HELP, framesIn, problemText } from './typed-line.ts'

/** False if a line of a program was refused. */
export async function attachLines(context: CommandContext, at: AttachedTo): Promise<boolean> {
  const { io, json, given, server } = context
  using lines = given.has('read-only') ? null : new TypedLines()
  const open = server
    ? (await import('./served-line.ts')).openServedLine
    : (await import('./process-line.ts')).openProcessLine
  using line = await open(context, at, lines)
  if (line === null) return true
  const left = new AbortController()
  const signal = AbortSignal.any([at.signal, io.unread, left.signal])
  const saying = new Saying(context, line)
  const leave = () => left.abort()
  const said = lines && saying.sayAll(lines, signal).then(leaves => leaves && leave())
  said?.catch(leave)
  for await (const { document, text } of line.news(signal)) io.out(json ? jsonLine(document) : text)
  const isGone = !signal.aborted
  leave()
  await said
  if (lines && isGone) await saying.tellUnsent(lines)
  return !saying.hasRefused
}

class Saying {
  readonly #context: CommandContext
  readonly #line: AgentLine
  hasRefused = false

  constructor(context: CommandContext, line: AgentLine) {
    this.#context = context
    this.#line = line
  }

  /** Those that come before it is known what is open wait for that. True if the person leaves. */
  async sayAll(lines: TypedLines, signal: AbortSignal): Promise<boolean> {
    const { io, given } = this.#context
    const isPerson = process.stdin.isTTY
    if (isPerson) io.err(`~ a line is a message; ${COMMANDS_HELP}\n`)
    await Promise.race([this.#line.isOpen, aborted(signal)])
    const count = await this.#sayLines(lines.until(signal))
    if (count === 'leave') return true
    if (lines.isClosed || signal.aborted) return false
    // If it does not end, nothing is left to wait for: all was said.
    if (given.has('end-on-eof')) return !(await this.#say({ type: 'end', input_id: crypto.randomUUID() }))
    // An input without a line said nothing: it is that of one who only looks.
    return count > 0 || isPerson
  }

  /** Lines of a program that came too late. A person sees that the process is gone. */
  async tellUnsent(lines: TypedLines): Promise<void> {
    if (process.stdin.isTTY || !(await lines.hasMore())) return
    this.hasRefused = true
    this.#context.io.err(problemText(sessionRefusals.unsentLines()))
  }

  async #sayLines(lines: AsyncIterable<string>): Promise<number | 'leave'> {
    let count = 0
    for await (const text of lines) {
      const frames = framesIn(this.#context.io, text, this.#line.holds)
      if (frames === 'leave') return frames
      count += text.trim() === '' ? 0 : 1
      for (const frame of frames) await this.#say(frame)
    }
    return count
  }

  async #say(frame: ClientFrame): Promise<boolean> {
    const isTaken = await this.#line.say(frame)
    if (!isTaken && !process.stdin.isTTY) this.hasRefused = true
    return isTaken
  }
}
