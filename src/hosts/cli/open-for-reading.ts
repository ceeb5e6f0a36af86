import { RefusedError } from '../../core/errors.ts'
import type { CommandContext } from '../command.ts'
import { type House, openHouse } from '../compose.ts'
import { readConfig } from '../project.ts'
import { refuseMissingStore, storeUrl } from '../store-url.ts'

/** The house on the store that the flags, the environment or the project name. Looking never makes a store. */
export async function openForReading({ given, env, directory }: CommandContext): Promise<House> {
  const config = await readConfig(directory)
  const store = storeUrl(given.value('store'), env, config)
  refuseMissingStore(store, directory)
  return openHouse({ store, directory, env })
}

/** The one word that a command takes. @throws RefusedError where there is none, or more. */
export function onlyWord(words: readonly string[], usage: string): string {
  const [word, ...more] = words
  if (word !== undefined && more.length === 0) return word
  throw new RefusedError('invalid_arguments', `Usage: holdpoint ${usage}`, {
    hint: 'To send these words to an agent instead, put them after `--`.',
  })
}
