import { expect, test } from 'vitest'
import { isPublicAddress } from './public-address.ts'
import { publicLookup } from './public-lookup.ts'

test.each([
  ...['8.8.8.8', '203.0.114.5', '172.32.0.1', '100.128.0.1', '1.1.1.1', '223.255.255.254'],
  ...['2606:4700::1111', '2a00:1450:4001::1', '2001:4860:4860::8888', '2620:fe::fe', '2A00::1'],
])('%s is an address of the internet', address => {
  expect(isPublicAddress(address)).toBe(true)
})

test.each([
  ...['127.0.0.1', '127.255.255.254', '10.1.2.3', '169.254.169.254', '192.168.1.1', '172.16.0.1', '172.31.255.255'],
  ...['100.64.0.1', '100.100.100.200', '0.0.0.0', '0.1.2.3', '224.0.0.1', '255.255.255.255', '240.0.0.1'],
  ...['168.63.129.16', '192.0.2.1', '198.51.100.7', '203.0.113.9', '198.19.0.1', '192.0.0.192'],
  ...['::1', '::', '::ffff:8.8.8.8', '::ffff:127.0.0.1', '::ffff:7f00:1', '::127.0.0.1', 'fe80::1', 'fe80::1%lo'],
  ...['64:ff9b::7f00:1', '64:ff9b:1::7f00:1', '2001:0:7f00:1::', '2002:7f00:1::', '2001:db8::1', '3fff::1'],
  ...['fd00::1', 'fd00:ec2::254', 'fec0::1', 'ff02::1', '4000::1', '2001:20::1', '2001:2::1'],
  ...[
    'localhost',
    '',
    '127.1',
    '2130706433',
    '0x7f.0.0.1',
    '256.1.1.1',
    '1.2.3',
    '2606:4700',
    '2606::1::1',
    '2606:::1',
  ],
])('%j is none', address => {
  expect(isPublicAddress(address)).toBe(false)
})

test('one private address among several is enough to refuse a name', () => {
  const answers = [
    { address: '8.8.8.8', family: 4 },
    { address: '127.0.0.1', family: 4 },
  ]
  const lookup = publicLookup(
    (_, __, found) => found(null, answers),
    host => new Error(`${host} is private`),
  )
  const found: unknown[] = []
  lookup('both.example', { all: true }, (...args) => found.push(args))
  lookup('both.example', {}, (...args) => found.push(args))
  expect(found).toEqual([
    [new Error('both.example is private'), ''],
    [new Error('both.example is private'), ''],
  ])
})
