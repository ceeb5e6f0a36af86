const LONGEST = 64

/** The name that a client gives itself as part of a signature: one word that neither hides nor pretends anything. */
export function harmlessName(given: string): string | null {
  const name = given
    .slice(0, LONGEST * LONGEST)
    .normalize('NFKC')
    .replaceAll(/[^\p{L}\p{N}._-]+/gu, '-')
    .replaceAll(/^[-.]+|[-.]+$/g, '')
  return [...name].slice(0, LONGEST).join('') || null
}
