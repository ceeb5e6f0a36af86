/** Globs over paths, in the dialect of `.gitignore`: a name without a slash counts at any depth, and `dir` covers all in it. */

export interface PathGlobs {
  /** The last pattern that covers the path decides; `!` takes it out again. */
  matches(path: string): boolean
}

interface OneGlob {
  readonly form: RegExp
  readonly isOut: boolean
}

const compiled = new WeakMap<readonly string[], PathGlobs>()

export function pathGlobs(patterns: readonly string[]): PathGlobs {
  const known = compiled.get(patterns)
  if (known) return known
  const globs = patterns.map(oneGlob)
  const made = { matches: (path: string) => globs.findLast(({ form }) => form.test(path))?.isOut === false }
  compiled.set(patterns, made)
  return made
}

function oneGlob(pattern: string): OneGlob {
  const isOut = pattern.startsWith('!')
  const written = (isOut ? pattern.slice(1) : pattern).replace(/\/+$/, '')
  const isAnchored = written.includes('/')
  const body = piecesOf(written.replace(/^\/+/, '')).map(formOf).join('')
  return { form: new RegExp(`^${isAnchored ? '' : '(?:.*/)?'}${body}(?:/.*)?$`, 's'), isOut }
}

/** Two stars as a whole name, a class, an escaped character, or one character. */
function piecesOf(pattern: string): readonly string[] {
  return pattern.match(/(?<=^|\/)\*\*\/|\/\*\*$|\[!?\]?[^\]]*\]|\\.|\*+|[\s\S]/g) ?? []
}

function formOf(piece: string): string {
  if (piece === '**/') return '(?:.*/)?'
  if (piece === '/**') return '/.+'
  if (/^\*+$/.test(piece)) return '[^/]*'
  if (piece === '?') return '[^/]'
  if (piece.length > 2 && piece.startsWith('[')) return classOf(piece.slice(1, -1))
  const literal = piece.length === 2 && piece.startsWith('\\') ? piece.slice(1) : piece
  return literal.replace(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`)
}

/** A class never covers a slash. */
function classOf(inner: string): string {
  const isNot = /^[!^]/.test(inner)
  const members = (isNot ? inner.slice(1) : inner).replace(/[\\[\]^]/g, String.raw`\$&`)
  return isNot ? `[^/${members}]` : `(?!/)[${members}]`
}
