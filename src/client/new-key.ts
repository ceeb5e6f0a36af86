/** An id that no other client makes up. Also a page without TLS can make one. */
export function newKey(kind: string): string {
  const bytes = crypto.getRandomValues(new Uint8Array(15))
  return `${kind}_${[...bytes].map(byte => byte.toString(16).padStart(2, '0')).join('')}`
}
