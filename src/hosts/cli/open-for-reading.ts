import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { RefusedError } from '../../core/errors.ts'
import type { CommandContext } from '../command.ts'
import { DEFAULT_STORE, type House, openHouse } from '../compose.ts'
import { readConfig } from '../project.ts'

/** The house on the store that the flags, the environment or the project name. Looking never makes a store. */
export async function openForReading({ given, env, directory }: CommandContext): Promise<House> {
  const config = await readConfig(directory)
  const store = given.value('store') ?? (env['HOLDPOINT_STORE'] || (config.store ?? DEFAULT_STORE))
  const path = store.startsWith('sqlite:') ? resolve(directory, store.slice('sqlite:'.length)) : null
  if (path !== null && !existsSync(path)) {
    throw new RefusedError('no_store', `There is no store ${path}: nothing was run here yet.`, {
      hint: 'Start a run with `holdpoint "…"`, change the directory, or name another store with --store.',
    })
  }
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
