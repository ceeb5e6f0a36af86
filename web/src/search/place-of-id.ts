const PLACES: Readonly<Record<string, string>> = {
  hold: '/holds/',
  run: '/runs/',
  th: '/threads/',
  task: '/tasks/',
}

/** The page of the thing with this id; `null` for words. */
export function placeOfId(words: string): string | null {
  const [id, kind = ''] = /^([a-z]+)_[\w-]+$/.exec(words) ?? []
  const place = Object.hasOwn(PLACES, kind) ? PLACES[kind] : undefined
  return id !== undefined && place !== undefined ? place + id : null
}
