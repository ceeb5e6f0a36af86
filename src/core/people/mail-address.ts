/**
 * Matches one plain address: no name, no list, no comment, no route, no line break. Mail libraries take all of these.
 */
const ONE_ADDRESS =
  /^[^\s\p{Cc}\p{Cf}<>()[\]:;,"\\@]{1,64}@([\p{L}\p{N}]([\p{L}\p{N}-]*[\p{L}\p{N}])?\.)*[\p{L}\p{N}]([\p{L}\p{N}-]*[\p{L}\p{N}])?$/u
const LONGEST = 254

export function isOneAddress(text: string): boolean {
  return text.length <= LONGEST && ONE_ADDRESS.test(text)
}

/** The address of `Name <address>`, or of an address alone; `null` if it is neither. */
export function senderAddress(from: string): string | null {
  const inner = /^[^<>\p{Cc}]*<([^<>]+)>$/u.exec(from)?.[1] ?? from
  return isOneAddress(inner) ? inner : null
}

/**
 * The address for comparisons: ASCII letters in lower case. Letters of other scripts could otherwise become ASCII
 * letters.
 */
export function foldedAddress(address: string): string {
  return address.replaceAll(/[A-Z]/g, letter => letter.toLowerCase())
}
