/** Starts a program for each event, without a shell, with the notice as JSON on its stdin. Exit 0 means success. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { onAbort } from '../async/on-abort.ts'
import { NotSentError } from '../core/notice/not-sent.ts'
import type { Notifier } from '../ports/notifier.ts'
import { type NoticeContent, programNotice } from './program-notice.ts'

export interface NoticeCommand {
  readonly argv: readonly string[]
  readonly content: NoticeContent
}

export interface CommandDeps {
  readonly directory: string
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** A command is addressed by its arguments, so that notices of one that was changed are not sent to the other. */
export function commandAddress(argv: readonly string[]): string {
  return JSON.stringify(argv)
}

export function commandNotifier(commands: readonly NoticeCommand[], deps: CommandDeps): Notifier {
  return {
    kind: 'command',
    digests: false,
    async send(notice, address, { signal }) {
      const command = commands.find(({ argv }) => commandAddress(argv) === address)
      if (!command) throw unknownCommand(address)
      const document = { id: notice.id, ...programNotice(notice, command.content) }
      await runToEnd(command.argv, { ...deps, signal, stdin: `${JSON.stringify(document)}\n` })
      return {}
    },
    async [Symbol.asyncDispose]() {},
  }
}

interface Running extends CommandDeps {
  readonly signal: AbortSignal
  readonly stdin: string
}

const MOST_ERROR = 500
/** How long to wait for the last output of a failed program. */
const LAST_OUTPUT_MS = 200

/**
 * The end of the program counts, and not that of what it leaves running: a window that stays open with the message holds its
 * stderr open too. A program that takes too long is stopped with all that it started.
 */
async function runToEnd(argv: readonly string[], { directory, environment, signal, stdin }: Running): Promise<void> {
  const [program = '', ...args] = argv
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const child = spawn(program, args, {
    cwd: directory,
    env: environment,
    stdio: ['pipe', 'ignore', 'pipe'],
    detached: true,
  })
  using _stop = onAbort(signal, () => {
    stopGroup(child.pid)
    reject(signal.reason)
  })
  let told = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    told = (told + text).slice(-MOST_ERROR)
  })
  child.on('error', error => reject(failedCommand(program, error.message)))
  child.on('exit', async (code, killed) => {
    if (code === 0) return resolve()
    await Promise.race([once(child, 'close'), setTimeout(LAST_OUTPUT_MS)])
    reject(failedCommand(program, `it ended with ${killed ?? code}${told.trim() && `: ${told.trim()}`}`))
  })
  // A program may succeed without reading its stdin.
  child.stdin.on('error', () => {})
  child.stdin.end(stdin)
  await promise
  child.unref()
  ;(child.stderr as Socket).unref()
}

/** The program leads a group of its own. */
function stopGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}

function failedCommand(program: string, why: string): NotSentError {
  return new NotSentError('notice_command_failed', `${program} was not told: ${why}.`, { retry: 'later' })
}

function unknownCommand(address: string): NotSentError {
  return new NotSentError('notice_command_removed', `The command ${address} is in the configuration no more.`, {
    retry: 'never',
    hint: 'Write it into notify.channels.command again, and retry the notice.',
  })
}
