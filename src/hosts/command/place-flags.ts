import { shellWord } from '../process/shell-word.ts'
import type { Given } from './flags.ts'

const PLACES: readonly string[] = ['store', 'server']

/** The flags that lead the next command to the same place; empty if there were none. */
export function placeFlags({ value }: Pick<Given, 'value'>): string {
  return PLACES.map(name => {
    const place = value(name)
    return place === null ? '' : ` --${name} ${shellWord(place)}`
  }).join('')
}
