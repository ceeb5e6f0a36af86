/** A command that a person approved and that has ended, in a project with a server, a chat and all channels of notices. */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { expect, vi } from 'vitest'
import { patienceMs } from '../patience.ts'
import { PEOPLE, SINKS, type Sink } from './notices/sinks.ts'
import { aProject, command, type Project } from './project.ts'
import { aServer, doneRun, openHold, type ServerProcess } from './server/server-process.ts'
import { aChat, type ChatTerminal } from './terminal/chat-terminal.ts'
import { HAS_TERMINAL } from './terminal/pseudo-terminal.ts'

/** Its remote refuses, so it fails with exit 1. */
export const REFUSED_PUSH = 'git push origin main'
/** Ends with exit 1, which is its answer. */
export const ANSWERING_GREP = 'grep -q nothing /dev/null'

const CHANNELS = ['Slack', 'GitHub', 'mail', 'webhook'] as const
type Channel = (typeof CHANNELS)[number]

export interface DecidedCommand extends AsyncDisposable {
  readonly project: Project
  readonly server: ServerProcess
  readonly hold: string
  readonly run: string
  /** Open since before the decision; `null` without pseudo terminals. */
  readonly chat: ChatTerminal | null
  /** All that the messages of a channel say now. */
  told(channel: Channel): string
}

export async function aDecidedCommand(text: string): Promise<DecidedCommand> {
  const stack = new AsyncDisposableStack()
  const sinks = new Map<Channel, Sink>()
  for (const channel of CHANNELS) sinks.set(channel, stack.use(await SINKS[channel]()))
  const project = stack.use(await projectWith(text, [...sinks.values()]))
  const server = stack.use(await aServer(project))
  const { json } = await server.send('/v1/threads', { body: { input: 'publish it' } })
  const { id: hold, run_id: run } = await openHold(server, json.run_id)
  const chat = HAS_TERMINAL ? stack.use(await aChat(project, { args: ['-c', 'last'], columns: 120 })) : null
  const told = (channel: Channel) =>
    sinks
      .get(channel)
      ?.arrived()
      .map(message => message.text)
      .join('\n') ?? ''
  for (const channel of CHANNELS)
    await vi.waitFor(() => expect(told(channel)).toContain(hold), { timeout: patienceMs() })
  await server.send(`/v1/holds/${hold}/decisions`, { body: { verdict: 'approve' } })
  await doneRun(server, run)
  return { project, server, hold, run, chat, told, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

async function projectWith(text: string, sinks: readonly Sink[]): Promise<Project> {
  const channels = Object.assign({}, ...sinks.map(sink => sink.channels))
  const project = await aProject({
    script: [{ calls: [command('tc_1', text)] }, 'That is what came of it.'],
    policy: { tools: { run_command: 'prompt' } },
    env: Object.assign({}, ...sinks.map(({ env }) => env)),
    config: {
      people: PEOPLE,
      deciders: ['ana'],
      notify: {
        base_url: 'https://holds.example.org',
        channels: { ...channels, webhook: { ...channels.webhook, events: ['opened', 'ended'] } },
      },
    },
  })
  refusingRemote(project)
  await project.holdpoint('trust', '--yes')
  return project
}

function refusingRemote({ directory, environment }: Project): void {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: directory, env: environment, stdio: 'ignore' })
  git('init', '-q', '-b', 'main')
  git('init', '-q', '--bare', '.remote')
  writeFileSync(`${directory}/.remote/hooks/pre-receive`, '#!/bin/sh\necho "main is frozen" >&2\nexit 1\n', {
    mode: 0o755,
  })
  git('remote', 'add', 'origin', `${directory}/.remote`)
  git('-c', 'user.name=ana', '-c', 'user.email=ana@example.org', 'commit', '-q', '--allow-empty', '-m', 'one')
}
