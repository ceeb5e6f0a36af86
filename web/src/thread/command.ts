/** The meaning of a text in the composer: words for the agent, or a decision on an open hold. */
export type Command =
  | { readonly verb: 'approve'; readonly holdId: string | null }
  | { readonly verb: 'deny'; readonly holdId: string | null; readonly reason: string | null }
  | { readonly verb: 'unknown'; readonly word: string }

const HOLD = /^(hold_\S+)(?:\s+|$)/

/** `null` for a text that is no command. A text that begins with a slash is never sent as words by mistake. */
export function readCommand(text: string): Command | null {
  const said = text.trim()
  const [, word, rest = ''] = /^\/(\S*)\s*([\s\S]*)$/.exec(said) ?? []
  if (word === undefined) return null
  const holdId = HOLD.exec(rest)?.[1] ?? null
  const words = rest.replace(HOLD, '').trim()
  if (word === 'approve') return words === '' ? { verb: 'approve', holdId } : { verb: 'unknown', word: said }
  if (word === 'deny' || word === 'reject') return { verb: 'deny', holdId, reason: words === '' ? null : words }
  return { verb: 'unknown', word: said }
}
