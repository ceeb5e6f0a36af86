import { expect, test } from 'vitest'
import { isPrivateAddress } from './public-address.ts'

test.each(['8.8.8.8', '203.0.114.5', '172.32.0.1', '2606:4700::1111', '2a00:1450:4001::1'])(
  '%s is an address of the internet',
  address => {
    expect(isPrivateAddress(address)).toBe(false)
  },
)

test.each([
  ...['127.0.0.1', '10.1.2.3', '169.254.169.254', '192.168.1.1', '172.16.0.1', '100.64.0.1', '0.0.0.0'],
  ...['::1', '::', '::ffff:8.8.8.8', '::ffff:127.0.0.1', '::127.0.0.1', 'fe80::1', 'fe80::1%lo', 'fd00::1'],
  ...['64:ff9b::7f00:1', '64:ff9b:1::7f00:1', '2001:0:7f00:1::', '2002:7f00:1::', 'ff02::1', 'localhost', ''],
])('%j is none that a project may make a server post to', address => {
  expect(isPrivateAddress(address)).toBe(true)
})
