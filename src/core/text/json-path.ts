const PLAIN_NAME = /^[\p{L}_$][\p{L}\p{N}_$-]*$/u

/** `arguments.items[0].name`: a place in a JSON value, as a model and a person read it, always on one line. */
export function jsonPath(root: string, segments: readonly PropertyKey[]): string {
  return root + segments.map(step).join('')
}

function step(segment: PropertyKey): string {
  if (typeof segment === 'number') return `[${segment}]`
  const name = String(segment)
  return PLAIN_NAME.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`
}
