/** Starts a program for each event, without a shell, with the notice as JSON on its stdin. Exit 0 means that it was told. */
import { spawn } from 'node:child_process'
import { NotSentError } from '../core/notice/not-sent.ts'
import type { Notifier } from '../ports/notifier.ts'
import { type NoticeContent, programNotice } from './program-notice.ts'

export interface NoticeCommand {
  readonly argv: readonly string[]
  readonly content: NoticeContent
}

export interface CommandSite {
  readonly directory: string
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** A command is addressed by its arguments, so that notices of one that was changed are not sent to the other. */
export function commandAddress(argv: readonly string[]): string {
  return JSON.stringify(argv)
}

export function commandNotifier(commands: readonly NoticeCommand[], site: CommandSite): Notifier {
  return {
    kind: 'command',
    digests: false,
    async send(notice, address, { signal }) {
      const command = commands.find(({ argv }) => commandAddress(argv) === address)
      if (!command) throw unknownCommand(address)
      const document = { id: notice.id, ...programNotice(notice, command.content) }
      await runToEnd(command.argv, { ...site, signal, stdin: `${JSON.stringify(document)}\n` })
      return {}
    },
    async [Symbol.asyncDispose]() {},
  }
}

interface Running extends CommandSite {
  readonly signal: AbortSignal
  readonly stdin: string
}

const MOST_ERROR = 500

async function runToEnd(argv: readonly string[], { directory, environment, signal, stdin }: Running): Promise<void> {
  const [program = '', ...args] = argv
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const child = spawn(program, args, {
    cwd: directory,
    env: environment,
    stdio: ['pipe', 'ignore', 'pipe'],
    signal,
    killSignal: 'SIGKILL',
  })
  let told = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    told = (told + text).slice(-MOST_ERROR)
  })
  child.on('error', error => reject(signal.aborted ? signal.reason : failedCommand(program, error.message)))
  child.on('close', (code, killed) => {
    if (code === 0) resolve()
    else reject(failedCommand(program, `it ended with ${killed ?? code}${told.trim() && `: ${told.trim()}`}`))
  })
  // A program that does not read its stdin is told all the same.
  child.stdin.on('error', () => {})
  child.stdin.end(stdin)
  return promise
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
