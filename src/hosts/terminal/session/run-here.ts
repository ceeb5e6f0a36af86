import { RefusedError } from '../../../core/errors.ts'
import type { CommandContext } from '../../command/command.ts'
import { OUTPUT_FLAG, parseFlags } from '../../command/flags.ts'
import type { CheckSite } from './check-call.ts'
import type { OpenedChat } from './open-chat.ts'

/** An open chat: its app, its agents and its conversation. */
export type Here = Pick<OpenedChat, 'app' | 'agents' | 'conversation'>

export async function checkSiteOf({ app, agents, conversation: { sessionId, profile } }: Here): Promise<CheckSite> {
  return { app: app.isOpen ? await app.open() : null, agents, sessionId, profile }
}

/** Another command of Holdpoint as a chat runs it; a check of policy is about the chat's own session. @throws RefusedError */
export async function runHere(
  context: CommandContext,
  site: () => Promise<CheckSite | null>,
  words: readonly string[],
): Promise<string> {
  const [name, verb, ...rest] = words
  const here = name === 'policy' && verb === 'check' ? await site() : null
  if (here) return (await import('./check-call.ts')).checkCall(here, rest)
  return runWithin(context, words)
}

/** Columns that the chat sets its output in. */
const MARGIN = 3

/** Another command of Holdpoint within a chat: what it writes. @throws RefusedError */
async function runWithin(context: CommandContext, [name = '', ...words]: readonly string[]): Promise<string> {
  const { commands, given: own, io } = context
  const command = commands.find(known => known.name === name)
  if (!command) throw new RefusedError('unknown_command', `There is no command ${name}.`)
  const store = own.value('store')
  const takesStore = command.flags.some(flag => flag.name === 'store')
  const args = store !== null && takesStore ? [...words, '--store', store] : words
  const given = parseFlags([...command.flags, OUTPUT_FLAG], args, `\`holdpoint ${name} --help\` lists them.`)
  if (given.has('watch'))
    throw new RefusedError('invalid_arguments', 'Here a list is shown once: --watch goes on until it is stopped.')
  const written: string[] = []
  const write = (text: string) => void written.push(text)
  // Lists that fit this terminal, without colours.
  const env = { ...context.env, NO_COLOR: '1', FORCE_COLOR: undefined }
  const quiet = { ...io, out: write, err: write, width: () => io.width() - MARGIN }
  await (await command.load()).run({ ...context, given, json: false, env, io: quiet })
  return written.join('')
}
