/**
 * `holdpoint` alone in a terminal: a chat if a model is set. Otherwise it shows the state of the project and offers the
 * next commands. Nothing is preselected.
 */
import { existsSync } from 'node:fs'
import type { Interface } from 'node:readline/promises'
import { RefusedError } from '../../../core/errors.ts'
import type { Hold } from '../../../core/hold/hold.ts'
import { holdSummary } from '../../../core/hold-view/hold-words.ts'
import { durationText } from '../../../core/text/duration-text.ts'
import { shortened } from '../../../core/text/text-width.ts'
import { visibleLine } from '../../../core/text/visible-text.ts'
import type { RunRow } from '../../../ports/store/runs.ts'
import type { CommandContext } from '../../command/command.ts'
import { ago } from '../../display/ago.ts'
import { openLines } from '../../display/ask-line.ts'
import { paintFor } from '../../display/screen.ts'
import { shellWord } from '../../process/shell-word.ts'
import { systemClock } from '../../process/system-clock.ts'
import { version } from '../../process/version.ts'
import { projectDirectory, readConfig } from '../../project/project.ts'
import { openForReading } from '../open-for-reading.ts'
import { aboutText } from '../runs/run-document.ts'

/** The arguments that were chosen; `null` if none were. */
export async function chooseNext(context: CommandContext): Promise<readonly string[] | null> {
  const { env, directory } = context
  const { model, agent } = await readConfig(directory, env)
  if (env['HOLDPOINT_MODEL'] || model || agent) return ['chat']
  const state = await standingHere(context)
  const choices = choicesFor(state)
  context.io.out(screen(context, state, choices))
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

function screen(context: CommandContext, state: Standing, choices: readonly Choice[]): string {
  const { io, directory } = context
  const paint = paintFor(context)
  const width = Math.max(...choices.map(({ does }) => does.length))
  const head = `${paint('bold', `holdpoint ${version()}`)} in ${visibleLine(directory)}`
  const lines = standingLines(state, systemClock.now()).map(line => shortened(line, io.width()))
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
    const choice = /^\d{1,2}$/.test(answer) ? choices[Number(answer) - 1] : undefined
    if (choice) return withText(terminal, choice)
    io.out(`That is no number from 1 to ${choices.length}.\n`)
  }
}

async function withText(terminal: Interface, { args, asks }: Choice): Promise<readonly string[] | null> {
  if (asks === null) return args
  const text = await terminal.question(asks)
  return text.trim() === '' ? null : [...args, text]
}

/** The state of a project. */
interface Standing {
  /** Open ones, oldest first. */
  readonly holds: readonly Hold[]
  /** The newest run that a person started; `null` if there is none. */
  readonly last: RunRow | null
  /** The message that began it, safe to show. */
  readonly about: string
  readonly hasProject: boolean
}

interface Choice {
  readonly does: string
  readonly args: readonly string[]
  /** The question for the text that follows the arguments; `null` if none does. */
  readonly asks: string | null
}

/** The open holds and the state of the last session, in lines. `now` is in milliseconds since 1970. */
function standingLines({ holds, last, about }: Standing, now: number): string[] {
  const [oldest] = holds
  const waits = holds.length === 1 ? '1 hold waits' : `${holds.length} holds wait, the oldest`
  return [
    ...(oldest
      ? [visibleLine(`${waits} for ${durationText(now - Date.parse(oldest.opened_at))}: ${asked(oldest)}`)]
      : []),
    ...(last ? [`The last session ${stands(last)}, ${ago(last.updated_at, now)}: ${about}`] : []),
  ]
}

function asked(hold: Hold): string {
  return `${hold.kind === 'approval' ? `${hold.tool} ` : ''}${holdSummary(hold)}`
}

function stands({ status, lease, ended, exported }: RunRow): string {
  if (exported !== null) return 'moved to another store'
  if (status === 'waiting') return 'waits'
  if (status === 'running') return lease === null ? 'is ready to go on' : 'is under way'
  return ended === null || ended === 'natural_end' ? 'ended' : `ended (${ended})`
}

/** Choices in the order of use: what waits first, then what can go on, then new runs. */
function choicesFor({ holds, last, hasProject }: Standing): Choice[] {
  return [
    ...deciding(holds),
    ...(last && last.exported === null ? [goingOn(last)] : []),
    ...(hasProject ? [] : [choice('set up this directory', 'init')]),
    choice('see a run pause and go on', 'demo'),
    choice('check that agents can run here', 'doctor'),
    choice('read the help', '--help'),
  ]
}

function deciding([oldest, ...more]: readonly Hold[]): Choice[] {
  if (!oldest) return []
  if (more.length > 0) return [choice('list what waits', 'holds'), choice('see the oldest of it', 'show', oldest.id)]
  return [oldest.kind === 'approval' ? choice('decide what waits', 'approve') : choice('see it', 'show', oldest.id)]
}

function goingOn({ thread_id, status, lease }: RunRow): Choice {
  if (status === 'done')
    return { does: 'go on with the last session', args: ['-c', thread_id, '--'], asks: 'What to say: ' }
  const attend = status === 'running' && lease !== null ? ['--attend'] : []
  return choice('go on with the last session', '-c', thread_id, ...attend)
}

function choice(does: string, ...args: string[]): Choice {
  return { does, args, asks: null }
}

/** The command as a person would type it. */
function commandText({ args, asks }: Choice): string {
  const words = args.filter(word => word !== '--').map(shellWord)
  return ['holdpoint', ...words, ...(asks === null ? [] : ['"…"'])].join(' ')
}
