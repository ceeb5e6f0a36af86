/**
 * Which addresses are of the internet, by the special-purpose registries of IANA. What is not surely public counts as
 * private: text that is no address, too.
 */

type Range = readonly [first: string, bits: number]

const PRIVATE_IPV4: readonly Range[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  // Shared by the customers of a provider.
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  // Benchmarks.
  ['198.18.0.0', 15],
  // Documentation.
  ['192.0.2.0', 24],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  // The host of a virtual machine on Azure answers here.
  ['168.63.129.16', 32],
  // Multicast, what is reserved, and broadcast.
  ['224.0.0.0', 3],
]

/** All that is public of IPv6. Addresses that hold one of IPv4 in another way are outside: `::ffff:0:0/96`, `64:ff9b::/96`. */
const GLOBAL_IPV6: Range = ['2000::', 3]

const PRIVATE_IPV6: readonly Range[] = [
  // Assignments of protocols, Teredo among them.
  ['2001::', 23],
  // 6to4 holds an address of IPv4.
  ['2002::', 16],
  // Documentation.
  ['2001:db8::', 32],
  ['3fff::', 20],
]

/** `address` without brackets, as resolvers give it. */
export function isPublicAddress(address: string): boolean {
  const four = numberOfIpv4(address)
  if (four !== null) return !PRIVATE_IPV4.some(([first, bits]) => isWithin(four, numberOfIpv4(first), 32 - bits))
  const six = numberOfIpv6(address)
  if (six === null) return false
  const isIn = ([first, bits]: Range) => isWithin(six, numberOfIpv6(first), 128 - bits)
  return isIn(GLOBAL_IPV6) && !PRIVATE_IPV6.some(isIn)
}

/** True for an address in numbers, as the hostname of a parsed URL writes it, without brackets. */
export function isAddress(host: string): boolean {
  return numberOfIpv4(host) !== null || host.includes(':')
}

/** Names that lead to this machine alone (RFC 6761). */
export function isNameOfThisMachine(host: string): boolean {
  return /(^|\.)localhost\.?$/i.test(host)
}

function isWithin(address: bigint, first: bigint | null, freeBits: number): boolean {
  return first !== null && address >> BigInt(freeBits) === first >> BigInt(freeBits)
}

function numberOfIpv4(text: string): bigint | null {
  const parts = text.split('.')
  if (parts.length !== 4 || !parts.every(part => /^\d{1,3}$/.test(part) && Number(part) < 256)) return null
  return parts.reduce((sum, part) => (sum << 8n) | BigInt(part), 0n)
}

function numberOfIpv6(text: string): bigint | null {
  const halves = inGroups(text).split('::')
  if (halves.length > 2) return null
  const [front = [], back = []] = halves.map(half => (half === '' ? [] : half.split(':')))
  const missing = 8 - front.length - back.length
  const isWhole = halves.length === 2 ? missing >= 1 : missing === 0
  const groups = [...front, ...Array.from({ length: Math.max(0, missing) }, () => '0'), ...back]
  if (!isWhole || !groups.every(group => /^[\da-f]{1,4}$/i.test(group))) return null
  return groups.reduce((sum, group) => (sum << 16n) | BigInt(`0x${group}`), 0n)
}

/** `::ffff:127.0.0.1` as `::ffff:7f00:1`. */
function inGroups(text: string): string {
  const [, front = '', four = ''] = /^(.*:)([\d.]+\.[\d.]+)$/.exec(text) ?? []
  const number = numberOfIpv4(four)
  return number === null ? text : `${front}${(number >> 16n).toString(16)}:${(number & 0xffffn).toString(16)}`
}
