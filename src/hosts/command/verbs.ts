import { argumentRefusals } from '../refusals/argument-refusals.ts'
import type { CommandContext } from './command.ts'
import { SERVER_VARIABLE } from './named-server.ts'

/** A verb of a command: `holdpoint tasks show TASK`. */
export interface Verb {
  /** The names of its own flags. */
  readonly flags: readonly string[]
  readonly load: () => Promise<(context: CommandContext, words: readonly string[]) => Promise<number>>
}

export interface VerbTable {
  /** The name of the command. */
  readonly command: string
  /** Has `list`, which is meant if no verb is named. */
  readonly verbs: Readonly<Record<string, Verb>>
  /** The flags of every verb. */
  readonly everywhere: readonly string[]
}

/** @throws RefusedError `invalid_arguments` for an unknown verb, or a flag that the verb does not take */
export async function runVerb(context: CommandContext, table: VerbTable): Promise<number> {
  const [name = 'list', ...words] = context.given.words
  const verb = Object.hasOwn(table.verbs, name) ? table.verbs[name] : undefined
  if (!verb) throw argumentRefusals.unknownVerb(table.command, name, Object.keys(table.verbs))
  refuseForeignFlags(context, table, { name, flags: verb.flags })
  return (await verb.load())(context, words)
}

/** A flag that a verb ignores must not look as if it counted. */
function refuseForeignFlags(
  { given, commands, server }: CommandContext,
  { command, everywhere }: VerbTable,
  { name, flags }: { readonly name: string } & Pick<Verb, 'flags'>,
): void {
  const known = [...flags, ...everywhere]
  if (server && !known.includes('server'))
    throw argumentRefusals.storeAlone(`${command} ${name}`, given.has('server') ? '--server' : SERVER_VARIABLE)
  const all = commands.find(each => each.name === command)?.flags ?? []
  const foreign = all.find(flag => given.has(flag.name) && !known.includes(flag.name))
  if (!foreign) return
  throw argumentRefusals.foreignFlag(
    command,
    name,
    foreign.name,
    known.map(flag => `--${flag}`),
  )
}
