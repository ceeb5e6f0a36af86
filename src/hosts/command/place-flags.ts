import { StoreLocation } from '../../ports/store/store-location.ts'
import { shellWord } from '../process/shell-word.ts'
import type { Given } from './flags.ts'

/** The flags that lead the next command to the same place; empty if there were none. */
export function placeFlags({ value }: Pick<Given, 'value'>): string {
  const places = { store: givenStore({ value }), server: value('server') }
  return Object.entries(places)
    .map(([name, place]) => (place === null ? '' : ` --${name} ${shellWord(place)}`))
    .join('')
}

/** The store that a flag named, for a command to copy. */
export function givenStore({ value }: Pick<Given, 'value'>): string | null {
  const url = value('store')
  return url === null ? null : new StoreLocation(url).commandUrl
}
