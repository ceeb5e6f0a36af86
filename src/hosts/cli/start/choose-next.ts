/**
 * `holdpoint` alone in a terminal: a chat where a model is set. Elsewhere it says how things stand, and asks what to do.
 * Nothing is preselected.
 */
import { existsSync } from 'node:fs'
import type { Interface } from 'node:readline/promises'
import { RefusedError } from '../../../core/errors.ts'
import { shortened } from '../../../core/text/text-width.ts'
import { visibleLine } from '../../../core/text/visible-text.ts'
import type { CommandContext } from '../../command/command.ts'
import { openLines } from '../../display/ask-line.ts'
import { paintFor } from '../../display/colours.ts'
import { systemClock } from '../../process/system-clock.ts'
import { version } from '../../process/version.ts'
import { projectDirectory, readConfig } from '../../project/project.ts'
import { openForReading } from '../open-for-reading.ts'
import { aboutText } from '../runs/about-text.ts'
import { type Choice, choicesFor, commandText, type Standing, standingLines } from './choices.ts'

/** The arguments that were chosen; `null` if none were. */
export async function chooseNext(context: CommandContext): Promise<readonly string[] | null> {
  const { env, directory } = context
  const { model, agent } = await readConfig(directory, env)
  if (env['HOLDPOINT_MODEL'] || model || agent) return ['chat']
  const standing = await standingHere(context)
  const choices = choicesFor(standing)
  context.io.out(screen(context, standing, choices))
  const terminal = await openLines()
  try {
    return await chosen(context, terminal, choices)
  } catch {
    // Ctrl-C or Ctrl-D leaves.
    return null
  } finally {
    terminal.close()
  }
}

async function standingHere(context: CommandContext): Promise<Standing> {
  return { hasProject: existsSync(projectDirectory(context.directory)), ...(await storedHere(context)) }
}

/** Looking makes no store. */
async function storedHere(context: CommandContext): Promise<Pick<Standing, 'holds' | 'last' | 'about'>> {
  try {
    await using app = await openForReading(context)
    const runs = await app.holdpoint.runs()
    const holds = await app.holdpoint.holds({ status: 'open' })
    const last = runs.find(({ parent_run_id }) => parent_run_id === null) ?? null
    const inputs = await app.threadInputs(last ? [last.thread_id] : [])
    return { holds, last, about: aboutText(inputs.get(last?.thread_id ?? '')) }
  } catch (thrown) {
    if (thrown instanceof RefusedError && thrown.code === 'no_store') return { holds: [], last: null, about: '' }
    throw thrown
  }
}

function screen(context: CommandContext, standing: Standing, choices: readonly Choice[]): string {
  const { io, directory } = context
  const paint = paintFor(context)
  const width = Math.max(...choices.map(({ does }) => does.length))
  const head = `${paint('bold', `holdpoint ${version()}`)} in ${visibleLine(directory)}`
  const lines = standingLines(standing, systemClock.now()).map(line => shortened(line, io.width()))
  const offers = choices.map(
    (choice, index) => `  ${index + 1}  ${choice.does.padEnd(width)}  ${paint('dim', commandText(choice))}`,
  )
  return `${[head, ...lines, '', ...offers].join('\n')}\n\n`
}

async function chosen(
  { io }: Pick<CommandContext, 'io'>,
  terminal: Interface,
  choices: readonly Choice[],
): Promise<readonly string[] | null> {
  for (;;) {
    const answer = (await terminal.question('A number, or Enter to leave: ')).trim()
    if (answer === '' || answer === 'q') return null
    const found = /^\d{1,2}$/.test(answer) ? choices[Number(answer) - 1] : undefined
    if (found) return withText(terminal, found)
    io.out(`That is no number from 1 to ${choices.length}.\n`)
  }
}

async function withText(terminal: Interface, { args, asks }: Choice): Promise<readonly string[] | null> {
  if (asks === null) return args
  const text = await terminal.question(asks)
  return text.trim() === '' ? null : [...args, text]
}
