const SUBSTITUTION = /[$<>]\(/g
const MOST_SUBSTITUTIONS = 1000

export function holdsSubstitution(text: string): boolean {
  return text.includes('$(') || text.includes('`')
}

/** Each nests a script of its own, and the parser goes through all that is around it. */
export function holdsTooManySubstitutions(source: string): boolean {
  return (source.match(SUBSTITUTION)?.length ?? 0) > MOST_SUBSTITUTIONS
}
