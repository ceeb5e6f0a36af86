import type { RefusedError } from '../../core/errors.ts'
import { visibleLine } from '../../core/text/visible-text.ts'
import type { CommandContext } from '../command/command.ts'
import { type App, openApp } from '../compose/compose.ts'
import type { OpenOptions } from '../compose/open-options.ts'
import { errColumnsOf, hung } from '../display/hung.ts'
import { refuseAgent } from '../process/lineage/refuse-agent.ts'
import { readConfig } from '../project/project.ts'
import { isStoreThere, refuseMissingStore, storeUrl } from '../project/store-url.ts'
import { argumentRefusals } from '../refusals/argument-refusals.ts'

/** The app on the server or the store that the flags, the environment or the project name. Looking never makes a store. */
export async function openForReading(
  { given, env, directory, server }: CommandContext,
  options: Pick<OpenOptions, 'onEvent'> = {},
): Promise<App> {
  if (server) return (await import('../remote/remote-app.ts')).remoteApp(server)
  const config = await readConfig(directory, env)
  const store = storeUrl(given.value('store'), env, config)
  refuseMissingStore(store, directory)
  const { message_limits: messageLimits, max_concurrent: maxConcurrent } = config
  return openApp({ store, directory, env, messageLimits, maxConcurrent, mustExist: true, ...options })
}

/** The same, to look alone: of a store that moved, people are told where to. */
export async function openToLook(context: CommandContext): Promise<App> {
  const app = await openForReading(context)
  const moved = context.json || context.server ? null : await app.store.moved()
  if (moved)
    context.io.err(`${hung(visibleLine(`holdpoint: ${moved.message} ${moved.hint}`), errColumnsOf(context.io))}\n`)
  return app
}

/**
 * P1: the gate before verbs that need no store. Only a store tells from where people decide here; a project without one
 * was never used. @throws RefusedError as `refuseAgent` does
 */
export async function refuseAgentHere(
  context: CommandContext,
  refusal: (agent: string) => RefusedError,
): Promise<void> {
  const { given, env, directory } = context
  refuseAgent(env, refusal)
  if (!isStoreThere(storeUrl(given.value('store'), env, await readConfig(directory, env)), directory)) return
  await using _app = await openForReading(context)
  refuseAgent(env, refusal)
}

/** @throws RefusedError if words follow a command that takes none. */
export function refuseWords(words: readonly string[], command: string): void {
  if (words.length === 0) return
  throw argumentRefusals.takesNoWords(command, words)
}

/** The one word that a command takes. @throws RefusedError if there is none, or more. */
export function onlyWord(words: readonly string[], usage: string): string {
  const [word, ...more] = words
  if (word !== undefined && more.length === 0) return word
  throw argumentRefusals.usage(usage, listsFor(usage))
}

/** The commands that list each kind of id. */
const LISTS: Readonly<Record<string, readonly string[]>> = {
  RUN: ['runs'],
  HOLD: ['holds'],
  ID: ['runs', 'holds'],
  SESSION: ['threads'],
  CHECKPOINT: ['checkpoints SESSION'],
  TASK: ['tasks'],
  GRANT: ['grants'],
  TOKEN: ['tokens'],
}

function listsFor(usage: string): string {
  const lists = [...new Set(usage.split(/[^A-Z]+/).flatMap(kind => LISTS[kind] ?? []))]
  const commands = lists.map(list => `\`holdpoint ${list}\``).join(' or ')
  return lists.length > 0 ? `${commands} shows the ids.` : `See \`holdpoint ${usage.split(' ')[0]} --help\`.`
}
