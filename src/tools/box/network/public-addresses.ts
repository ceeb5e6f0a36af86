import { BlockList, isIP } from 'node:net'
import { asIpv4, spellHost } from '../../../core/effect/host-name.ts'

/** Networks that are not the internet: this machine, its neighbours, and addresses with others inside. */
const NOT_PUBLIC = `0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24
  192.168.0.0/16 198.18.0.0/15 224.0.0.0/4 240.0.0.0/4
  ::/96 64:ff9b:1::/48 100::/64 2001::/32 2002::/16 fc00::/7 fe80::/10 fec0::/10 ff00::/8`

let list: BlockList | null = null

/** False for addresses of this machine and of private networks: names that lead there may be a trap. */
export function isPublic(address: string): boolean {
  const plain = spellHost(address)
  const family = plain === null ? 0 : isIP(plain)
  if (plain === null || family === 0) return false
  const inside = /^64:ff9b::([0-9a-f]+):([0-9a-f]+)$/.exec(plain)
  if (inside) return isPublic(asIpv4(inside[1] ?? '', inside[2] ?? ''))
  list ??= notPublic()
  return !list.check(plain, family === 6 ? 'ipv6' : 'ipv4')
}

export function isLoopback(address: string): boolean {
  return address === '::1' || /^127\.\d+\.\d+\.\d+$/.test(address)
}

function notPublic(): BlockList {
  const made = new BlockList()
  for (const network of NOT_PUBLIC.split(/\s+/)) {
    const [base = '', bits] = network.split('/')
    made.addSubnet(base, Number(bits), base.includes(':') ? 'ipv6' : 'ipv4')
  }
  return made
}
