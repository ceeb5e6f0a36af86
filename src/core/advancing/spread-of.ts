/** FNV-1a, from 0 to 1: the same text has the same place, and texts that are alike do not come one after the other. */
export function spreadOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return (hash >>> 0) / 2 ** 32
}
